"""The official Python SDK: both ways to begin, the handshake and the newer one without."""

import sys
from pathlib import Path

import anyio
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.subscriptions import ResourcesListChanged

TIDY = "skill://skills/tidy/SKILL.md"


def server(transport, target, folder):
    return target if transport == "http" else StdioServerParameters(command=target, args=["serve", folder])


def text_of(result):
    return "".join(part.text for part in result.content if part.type == "text")


async def look(client):
    listed = {str(resource.uri) for resource in (await client.list_resources()).resources}
    assert TIDY in listed, listed
    prompt = await client.get_prompt("tidy")
    assert "Sort it." in prompt.messages[0].content.text, prompt
    content = (await client.read_resource(TIDY)).contents[0]
    assert content.text.startswith("---\nname: tidy\n"), content
    assert "tidy" in text_of(await client.call_tool("list_skills", {}))
    assert "Sort it." in text_of(await client.call_tool("read_skill", {"id": "tidy"}))


async def is_listed(client, uri):
    return uri in {str(resource.uri) for resource in (await client.list_resources()).resources}


def write(folder, name):
    path = Path(folder) / name
    path.mkdir()
    text = f"---\nname: {name}\ndescription: Comes later.\n---\n\nLater.\n"
    (path / "SKILL.md").write_text(text)
    return f"skill://skills/{name}/SKILL.md"


async def with_handshake(transport, target, folder):
    told = anyio.Event()

    async def hear(message):
        if isinstance(message, types.ResourceListChangedNotification):
            told.set()

    async with Client(server(transport, target, folder), mode="legacy", message_handler=hear, cache=None) as client:
        await look(client)
        uri = write(folder, "later-py")
        await told.wait()
        assert await is_listed(client, uri)


async def without(transport, target, folder):
    async with Client(server(transport, target, folder), mode="2026-07-28", cache=None) as client:
        await look(client)
        async with client.listen(resources_list_changed=True) as changes:
            uri = write(folder, "latest-py")
            async for change in changes:
                if isinstance(change, ResourcesListChanged):
                    break
        assert await is_listed(client, uri)


async def main():
    with anyio.fail_after(60):
        await with_handshake(*sys.argv[1:])
        await without(*sys.argv[1:])
    print("ok")


anyio.run(main)
