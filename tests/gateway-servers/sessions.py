"""Holds sessions of the Python SDK: sessions.py ADDRESS SESSIONS SECONDS SECRET. Prints the number of requests."""

import sys
import time

import anyio
from mcp.client.client import Client


async def hold(address, seconds, secret, begin, counts):
    async with Client(f"http://{address}/mcp", mode="legacy", cache=None) as client:
        await begin()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            answers = [
                await client.list_resources(),
                await client.read_resource("gateway://mcp-servers"),
                await client.list_tools(),
                await client.call_tool("read_skill", {"id": "review"}),
            ]
            text = "".join(answer.model_dump_json() for answer in answers)
            assert "Read the whole change." in text, text
            assert secret not in text, "an answer has the secret"
            counts.append(len(answers))
            # Sessions of models pause between requests.
            await anyio.sleep(0.5)


async def main():
    address, sessions, seconds, secret = sys.argv[1:]
    everyone = int(sessions)
    connected, all_connected, counts = 0, anyio.Event(), []

    async def begin():
        nonlocal connected
        connected += 1
        if connected == everyone:
            all_connected.set()
        await all_connected.wait()

    with anyio.fail_after(float(seconds) + 120):
        async with anyio.create_task_group() as group:
            for _ in range(everyone):
                group.start_soon(hold, address, float(seconds), secret, begin, counts)
    print(sum(counts))


anyio.run(main)
