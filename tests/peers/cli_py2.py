"""A client made with the Python package mcp 2.x: cli_py2.py COMMAND [ARG...]"""

import asyncio
import sys

from mcp import Client, StdioServerParameters


async def main(command, *args):
    async with Client(StdioServerParameters(command=command, args=list(args))) as client:
        print("tools:", len((await client.list_tools()).tools))
        print((await client.call_tool("add", {"a": 2, "b": 3})).content)


asyncio.run(main(*sys.argv[1:]))
