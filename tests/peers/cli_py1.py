"""A client made with the Python package mcp 1.x: cli_py1.py COMMAND [ARG...]"""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(command, *args):
    async with stdio_client(StdioServerParameters(command=command, args=list(args))) as streams:
        async with ClientSession(*streams) as session:
            await session.initialize()
            print("tools:", len((await session.list_tools()).tools))
            print((await session.call_tool("add", {"a": 2, "b": 3})).content)


asyncio.run(main(*sys.argv[1:]))
