node_tools node
openapi-typescript "$DOCUMENT" -o api.ts >&2
typescript main.ts
