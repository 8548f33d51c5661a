// Writes the home that every later release must open, go on with and replay:
//
//   node scripts/write-home.ts RELEASE [CHECKOUT]
//
// runs the cast of tests/fixtures/homes with the release in CHECKOUT (this one unless said), kills it with
// agents of every kind under way, and keeps the home as tests/fixtures/homes/RELEASE. A folder that was
// released is never written again.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { packHome } from "./fixtures/packed-home.ts";

const root = join(import.meta.dirname, "..");
const [release = "", checkout = root] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+[a-z0-9.-]*$/.test(release)) {
  console.error("usage: node scripts/write-home.ts RELEASE [CHECKOUT]");
  process.exit(2);
}
const target = join(root, "tests/fixtures/homes", release);
if (existsSync(target)) {
  console.error(`${target} is there already, and what was released is never written again`);
  process.exit(1);
}

const home = mkdtempSync(join(tmpdir(), "aos-write-home-"));
const writer = spawn(
  process.execPath,
  [join(import.meta.dirname, "fixtures/home-writer.ts"), resolve(checkout), home],
  { stdio: ["ignore", "pipe", "inherit"] },
);
let said = "";
for await (const chunk of writer.stdout) {
  said += String(chunk);
  if (said.endsWith("\n")) break;
}
writer.kill("SIGKILL");
await new Promise((gone) => {
  writer.once("exit", gone);
  if (writer.exitCode !== null || writer.signalCode !== null) gone(0);
});
// What the killed one had in its WAL goes into the file, so that the fixture is small.
const database = new DatabaseSync(join(home, "aos.db"));
database.exec("pragma wal_checkpoint(truncate); pragma journal_mode = delete; vacuum");
database.close();
const expected = JSON.parse(said) as { processes: unknown[] };
mkdirSync(target);
writeFileSync(join(target, "home.json.gz"), packHome(home));
writeFileSync(join(target, "expected.json"), `${JSON.stringify(expected, null, 2)}\n`);
rmSync(home, { recursive: true, force: true });
console.log(`${expected.processes.length} processes in ${target}`);
