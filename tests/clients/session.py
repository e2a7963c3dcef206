"""A session of the MCP Python SDK: connects, lists tools, makes one valid and one invalid call, and prints one JSON object."""

import asyncio
import json
import sys

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


def plain(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


async def main(url: str, token: str, era: str) -> None:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await (session.discover() if era == "modern" else session.initialize())
                tools = await session.list_tools()
                found = await session.call_tool("hr_find_employees", {"limit": 2})
                refused = await session.call_tool("hr_find_employees", {"limit": 99})
                names = [tool.name for tool in tools.tools]
                said = {"version": session.protocol_version, "tools": names, "found": plain(found), "refused": plain(refused)}
                print(json.dumps(said))


asyncio.run(main(*sys.argv[1:]))
