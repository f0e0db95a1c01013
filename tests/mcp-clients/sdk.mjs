// The official TypeScript SDK.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const TIDY = "skill://skills/tidy/SKILL.md";
const [kind, target, folder] = process.argv.slice(2);

setTimeout(() => {
  console.error("no end within 60 s");
  process.exit(1);
}, 60_000).unref();

const transport =
  kind === "http"
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args: ["serve", folder] });
const client = new Client({ name: "check", version: "1.0.0" });
await client.connect(transport);

// The SDK does not know the extension by name, and can ask for it.
const Listed = z.looseObject({ skills: z.array(z.looseObject({ uri: z.string() })) });
const Got = z.looseObject({ skill: z.looseObject({ frontmatter: z.looseObject({ description: z.string() }) }) });
const skills = async () => (await client.request({ method: "skills/list", params: {} }, Listed)).skills.map((skill) => skill.uri);

assert(client.getServerCapabilities().extensions["io.modelcontextprotocol/skills"]);
assert((await skills()).includes(TIDY));
assert((await client.listResources()).resources.some((resource) => resource.uri === TIDY));
const { skill } = await client.request({ method: "skills/get", params: { uri: TIDY } }, Got);
assert.equal(skill.frontmatter.description, "Sorts a folder.");
const { contents } = await client.readResource({ uri: TIDY });
assert.match(contents[0].text, /^---\nname: tidy\n/);
assert.match((await client.callTool({ name: "list_skills", arguments: {} })).content[0].text, /tidy/);
assert.match((await client.callTool({ name: "read_skill", arguments: { id: "tidy" } })).content[0].text, /Sort it\./);

const told = new Promise((resolve) => client.setNotificationHandler(ResourceListChangedNotificationSchema, resolve));
mkdirSync(join(folder, "later-ts"));
writeFileSync(join(folder, "later-ts", "SKILL.md"), "---\nname: later-ts\ndescription: Comes later.\n---\n\nLater.\n");
await told;
assert((await skills()).includes("skill://skills/later-ts/SKILL.md"));
await client.close();
console.log("ok");
