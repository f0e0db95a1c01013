// The command line of the MCP Inspector, which verifies front matter and digests by itself. Each call is a client of its own.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const TIDY = "skill://skills/tidy/SKILL.md";
const [kind, target, folder] = process.argv.slice(2);
const server = kind === "http" ? ["--server-url", target] : ["--", target, "serve", folder];

function run(...options) {
  const inspector = process.env.INSPECTOR;
  const stdout = execFileSync(process.execPath, [inspector, "--cli", "-q", "--format", "json", ...options, ...server], {
    encoding: "utf8",
    timeout: 60_000,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return stdout.trim().split("\n").map((line) => JSON.parse(line));
}

const skills = () => run("--method", "skills/list")[0].result.skills.map((skill) => skill.uri);

assert(skills().includes(TIDY) && skills().includes("skill://skills/typed/SKILL.md"));
for (const report of run("--method", "skills/list", "--verify", "--require-digests")) {
  assert.equal(report.outcome, "verified", JSON.stringify(report));
}
assert.equal(run("--method", "skills/get", "--uri", TIDY)[0].result.skill.frontmatter.description, "Sorts a folder.");
assert.match(run("--method", "resources/read", "--uri", TIDY)[0].result.contents[0].text, /^---\nname: tidy\n/);
assert.match(run("--method", "tools/call", "--tool-name", "list_skills")[0].result.content[0].text, /tidy/);
const read = run("--method", "tools/call", "--tool-name", "read_skill", "--tool-arg", "id=tidy");
assert.match(read[0].result.content[0].text, /Sort it\./);

const later = `later-inspector-${kind}`;
mkdirSync(join(folder, later));
writeFileSync(join(folder, later, "SKILL.md"), `---\nname: ${later}\ndescription: Comes later.\n---\n\nLater.\n`);
// Nobody is told who is not connected: the next client sees the new list as soon as the server does.
const end = Date.now() + 30_000;
while (!skills().includes(`skill://skills/${later}/SKILL.md`)) {
  assert(Date.now() < end, "the new skill is not seen");
}
console.log("ok");
