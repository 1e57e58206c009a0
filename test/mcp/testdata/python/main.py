"""Uses the tools over both transports with the client of the Python SDK."""

import asyncio
import os

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

URL, TOKEN = os.environ["URL"], os.environ["TOKEN"]


async def use(name, server, mode):
    async with Client(server, mode=mode) as orgd:
        tools = (await orgd.list_tools()).tools
        found = await orgd.call_tool("find_agents", {"text": "kindly"})
        missing = await orgd.call_tool("get_agent", {"agent": "Bob"})
        prompt = await orgd.read_resource("orgd://agents/Ada%20%2F%20Lovelace/prompts/production")
        print(mode, name, len(tools), '"name":"Ada / Lovelace"' in found.content[0].text, missing.is_error, prompt.contents[0].text.strip())


async def main():
    for mode in "auto", "legacy":
        await use("stdio", StdioServerParameters(command=os.environ["ORGD"], args=["mcp"], env={"ORGD_SERVER": URL, "ORGD_TOKEN": TOKEN}), mode)
        async with create_mcp_http_client(headers={"Authorization": "Bearer " + TOKEN}) as via:
            await use("http", streamable_http_client(URL + "/mcp", http_client=via), mode)


asyncio.run(main())
