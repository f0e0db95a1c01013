// Holds sessions of the TypeScript SDK: sessions.mjs ADDRESS SESSIONS SECONDS SECRET. Prints the number of requests.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [address, sessions, seconds, secret] = process.argv.slice(2);

setTimeout(() => {
  console.error("no end in time");
  process.exit(1);
}, (Number(seconds) + 120) * 1000).unref();

const connect = async () => {
  const client = new Client({ name: "sessions", version: "1.0.0" });
  client.onerror = (error) => {
    console.error(error);
    process.exitCode = 1;
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://${address}/mcp`)));
  return client;
};

const hold = async (client) => {
  let count = 0;
  for (const end = Date.now() + Number(seconds) * 1000; Date.now() < end; ) {
    const answers = [
      await client.listResources(),
      await client.readResource({ uri: "gateway://mcp-servers" }),
      await client.listTools(),
      await client.callTool({ name: "read_skill", arguments: { id: "review" } }),
    ];
    const text = JSON.stringify(answers);
    assert.match(text, /Read the whole change\./);
    assert(!text.includes(secret), "an answer has the secret");
    count += answers.length;
    // Sessions of models pause between requests.
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  client.onerror = undefined;
  await client.close();
  return count;
};

const clients = await Promise.all(Array.from({ length: Number(sessions) }, connect));
const counts = await Promise.all(clients.map(hold));
console.log(counts.reduce((sum, count) => sum + count, 0));
