"""FastMCP's client: the skills extension and its own helpers for skills as resources."""

import asyncio
import sys
from pathlib import Path

from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from fastmcp.client.transports import StdioTransport
from fastmcp.skills.client import SkillsClientExtension

TIDY = "skill://skills/tidy/SKILL.md"


class Ear(MessageHandler):
    def __init__(self):
        self.told = asyncio.Event()

    async def on_resource_list_changed(self, message):
        self.told.set()


def server(transport, target, folder):
    return target if transport == "http" else StdioTransport(command=target, args=["serve", folder])


async def look(client):
    listed = {skill.uri: skill for skill in await client.list_skills()}
    # The other one would cost it the whole list.
    assert TIDY in listed and "skill://skills/typed/SKILL.md" not in listed, listed
    assert TIDY in {str(resource.uri) for resource in await client.list_resources()}
    entry = await client.get_skill(TIDY)
    assert entry.frontmatter.description == "Sorts a folder.", entry
    text = (await client.read_resource(TIDY))[0].text
    assert text.startswith("---\nname: tidy\n"), text
    assert "tidy" in (await client.call_tool("list_skills", {})).content[0].text
    assert "Sort it." in (await client.call_tool("read_skill", {"id": "tidy"})).content[0].text


async def main():
    ear = Ear()
    async with Client(server(*sys.argv[1:]), extensions=[SkillsClientExtension()]) as client:
        await look(client)
    # The client hears of changes only where there is a handshake.
    async with Client(server(*sys.argv[1:]), message_handler=ear, mode="legacy") as client:
        path = Path(sys.argv[3]) / "later-fast"
        path.mkdir()
        (path / "SKILL.md").write_text("---\nname: later-fast\ndescription: Comes later.\n---\n\nLater.\n")
        await ear.told.wait()
        assert "skill://skills/later-fast/SKILL.md" in {str(resource.uri) for resource in await client.list_resources()}
    print("ok")


asyncio.run(asyncio.wait_for(main(), 60))
