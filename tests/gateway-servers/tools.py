"""Calls tools of the supervised servers, each brought by a skill: tools.py ADDRESS SECRET. Prints the number of calls."""

import sys

import anyio
from mcp.client.client import Client

# A skill, the tool that it requires, its arguments, and a text of the answer.
CALLS = [
    ("release-notes", "mcp__time__get_current_time", {"timezone": "UTC"}, '"timezone": "UTC"'),
    ("review", "mcp__everything__get-sum", {"a": 2, "b": 3}, "The sum of 2 and 3 is 5."),
    # It prints the environment of its server.
    ("review", "mcp__everything__get-env", {}, "PATH"),
]


def text_of(result):
    assert not result.is_error, result
    return "".join(part.text for part in result.content if part.type == "text")


async def names(client):
    return {tool.name for tool in (await client.list_tools()).tools}


async def main():
    address, secret = sys.argv[1:]
    calls = 0
    with anyio.fail_after(120):
        async with Client(f"http://{address}/mcp", mode="legacy", cache=None) as client:
            first = await names(client)
            assert not any(name.startswith("mcp__") for name in first), first
            for skill, tool, arguments, expected in CALLS:
                await client.call_tool("read_skill", {"id": skill})
                # On demand: the first activation starts the server.
                while tool not in await names(client):
                    await anyio.sleep(0.1)
                answers = [
                    text_of(await client.call_tool(tool, arguments)),
                    text_of(await client.call_tool("call_tool", {"skill": skill, "tool": tool, "arguments": arguments})),
                ]
                for answer in answers:
                    assert expected in answer, answer
                    assert secret not in answer, "an answer has the secret"
                    calls += 1
                await client.call_tool("deactivate_skill", {"id": skill})
                assert tool not in await names(client)
    print(calls)


anyio.run(main)
