"""A client made with the Python package mcp 2.x: cli_py2.py COMMAND [ARG...], or a URL"""

import asyncio
import sys

from mcp import Client, StdioServerParameters


async def main(command, *args):
    server = command if command.startswith("http") else StdioServerParameters(command=command, args=list(args))
    async with Client(server) as client:
        print("tools:", len((await client.list_tools()).tools))
        print((await client.call_tool("add", {"a": 2, "b": 3})).content)


asyncio.run(main(*sys.argv[1:]))
