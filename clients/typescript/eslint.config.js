import tseslint from "typescript-eslint";

export default tseslint.config(tseslint.configs.strictTypeChecked, {
  languageOptions: { parserOptions: { project: true } },
  rules: {
    // Numbers in texts are what they look like.
    "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
  },
});
