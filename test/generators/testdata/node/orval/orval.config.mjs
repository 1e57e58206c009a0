export default {
  orgd: { input: process.env.DOCUMENT, output: { target: './api.ts', client: 'fetch', baseUrl: process.env.URL } },
}
