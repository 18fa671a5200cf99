"""Stores, finds, corrects and forgets a memory with the MCP SDK of Python: `library.py ADDRESS`."""

import asyncio
import os
import sys

from mcp import ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

HEADERS = {"authorization": f"Bearer {os.environ['TEST_KEY']}", "x-tenant-id": os.environ["TEST_TENANT"]}
WORD = "quaypython"


async def work(session: ClientSession) -> None:
    await session.initialize()

    async def call(name: str, **arguments: object) -> str:
        answer = await session.call_tool(name, arguments)
        assert not answer.is_error, answer.content
        return answer.model_dump_json()

    stored = await session.call_tool("create_memory", {"content": f"The ferry {WORD} leaves at nine"})
    assert stored.structured_content
    id = stored.structured_content["id"]
    assert id in await call("search_memories", query=WORD, search_type="keyword")
    await call("update_memory", id=id, content=f"The ferry {WORD} leaves at ten")
    assert "at ten" in await call("get_memory", id=id)
    await call("delete_memory", id=id)
    assert id not in await call("search_memories", query=WORD, search_type="keyword")


async def main(address: str) -> None:
    async with (
        create_mcp_http_client(headers=HEADERS) as client,
        streamable_http_client(address, http_client=client) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await work(session)


asyncio.run(main(sys.argv[1]))
print("stored, found, corrected, forgotten")
