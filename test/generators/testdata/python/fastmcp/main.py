import asyncio
import os
import re

import httpx2
import yaml
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError

document = yaml.safe_load(open(os.environ["DOCUMENT"]))
api = httpx2.AsyncClient(base_url=os.environ["URL"], headers={"Authorization": "Bearer " + os.environ["TOKEN"]})


async def call(tools, tool, /, **arguments):
    """The answer of a tool, which the client has compared with the schema."""
    return (await tools.call_tool(tool, arguments)).structured_content["data"]


async def codes(tools, tool, /, **arguments):
    """The status and the code of a call that is refused."""
    try:
        await tools.call_tool(tool, arguments)
    except ToolError as refused:
        return re.search(r"\b4\d\d\b", str(refused))[0], re.search(r'"error_code": (\d+)', str(refused))[1]


async def use(tools):
    await call(tools, "departments_create", name="Sales")
    for name in ["Ann", "Bob", "Cy", "Dee", "Eve"]:
        agent = await call(tools, "agents_create", name=name, role="Clerk", department="Sales")
        print("hired", agent["name"], agent["version"])

    cursor = {}
    while cursor is not None:
        page = (await tools.call_tool("agents_list", {"limit": 2, **cursor})).structured_content
        print("page", *[agent["name"] for agent in page["data"]])
        cursor = {"cursor": page["pagination"]["next_cursor"]} if page["pagination"]["has_more"] else None

    # Tools have no headers in their answers, so the tag comes from the interface itself.
    guard = {"agent_name": "Ann", "If-Match": (await api.get("/api/v1/agents/Ann")).headers["ETag"]}
    print("changed", (await call(tools, "agents_update", **guard, level="senior"))["version"])
    print("stale", *await codes(tools, "agents_update", **guard, level="lead"))
    print("taken", *await codes(tools, "agents_create", name="ann", role="Clerk", department="Sales"))

    # FastMCP sends no members but those that a schema names, so the days are a setting of the strategy.
    policy = {"strategy": "calendar", "transition_threshold": 0.5, "strategy_config": {"sprint_days": 14}}
    await tools.call_tool("departments_update_ceremony_policy", {"name": "Sales", **policy})
    policy = await call(tools, "departments_ceremony_policy", name="Sales")
    print("policy", policy["strategy"], policy["transition_threshold"], policy["strategy_config"]["sprint_days"])

    diff = await call(tools, "versions_diff", agent_id="Ann", from_version=1, to_version=2)
    for c in diff["field_changes"]:
        print("diff", c["field_path"], c["old_value"], c["new_value"])

    company = await call(tools, "company_update", budget_monthly=20000001.99)
    assert company["budget_monthly"] == 20000001.99
    print("budget", company["budget_monthly"])


async def read_all(tools):
    """Calls every tool that reads what is there. Tools whose answers are no JSON fail in FastMCP."""
    no_json = {"activities.stream", "changes.stream", "metrics", "openapi.yaml", "auth.oidc_start", "auth.oidc_callback"}
    known = {"agent_name": "Ann", "agent_id": "Ann", "name": "Sales", "from_version": 1, "to_version": 2, "version_num": 1}
    reads = {op["get"]["operationId"] for op in document["paths"].values() if "get" in op} - no_json
    names = {name.replace(".", "_") for name in reads}
    for tool in await tools.list_tools():
        needed = tool.input_schema.get("required", [])
        if tool.name in names and all(name in known for name in needed):
            await tools.call_tool(tool.name, {name: known[name] for name in needed})


async def main():
    async with Client(FastMCP.from_openapi(document, api)) as tools:
        await use(tools)
        await read_all(tools)


asyncio.run(main())
