// Uses the tools over both transports with the client of the TypeScript SDK.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { URL: url, TOKEN, ORGD } = process.env;

async function use(name, transport) {
  const orgd = new Client({ name: "test", version: "1" });
  await orgd.connect(transport);
  const { tools } = await orgd.listTools();
  const found = await orgd.callTool({ name: "find_agents", arguments: { text: "kindly" } });
  const missing = await orgd.callTool({ name: "get_agent", arguments: { agent: "Bob" } });
  const prompt = await orgd.readResource({ uri: "orgd://agents/Ada%20%2F%20Lovelace/prompts/production" });
  console.log(name, tools.length, found.content[0].text.includes('"name":"Ada / Lovelace"'), missing.isError, prompt.contents[0].text.trim());
  await orgd.close();
}

await use("stdio", new StdioClientTransport({ command: ORGD, args: ["mcp"], env: { ORGD_SERVER: url, ORGD_TOKEN: TOKEN } }));
await use("http", new StreamableHTTPClientTransport(new URL(url + "/mcp"), { requestInit: { headers: { Authorization: "Bearer " + TOKEN } } }));
