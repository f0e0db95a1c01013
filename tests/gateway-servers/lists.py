"""Prints the ids of the four registries, as the HTTP routes and as MCP show them: lists.py ADDRESS."""

import json
import sys
import urllib.request

import anyio
from mcp.client.client import Client

REGISTRIES = ["skills", "workflows", "agents", "mcp-servers"]


def route(address, registry):
    with urllib.request.urlopen(f"http://{address}/api/v1/{registry}", timeout=30) as answer:
        return sorted(entry["id"] for entry in json.load(answer)["entries"])


async def of_mcp(address):
    lists = {}
    async with Client(f"http://{address}/mcp", mode="legacy", cache=None) as client:
        resources = [str(resource.uri) for resource in (await client.list_resources()).resources]
        skills = [uri for uri in resources if uri.startswith("skill://")]
        lists["skills"] = sorted(uri.removesuffix("/SKILL.md").rsplit("/", 1)[1] for uri in skills)
        for registry in REGISTRIES[1:]:
            content = (await client.read_resource(f"gateway://{registry}")).contents[0]
            lists[registry] = sorted(entry["id"] for entry in json.loads(content.text)["entries"])
    return lists


async def main():
    address = sys.argv[1]
    with anyio.fail_after(60):
        routes = {registry: route(address, registry) for registry in REGISTRIES}
        print(json.dumps({"routes": routes, "mcp": await of_mcp(address)}))


anyio.run(main)
