// Secrets from the command line, and the key that seals them.

import { chmodSync, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createTestHome, storedBytes } from "../home.ts";
import { createWorld, repeat, write, type World } from "./world.ts";

let world: World;

const VALUE = "correct-horse-battery";
const KEY = "ab".repeat(32);

beforeAll(async () => {
  world = createWorld();
  await world.home.aos("up", "-d");
});
afterAll(() => world.remove());

const set = (stdin: string, ...words: string[]) =>
  world.home.aosWith({ stdin }, "secret", "set", ...words);

test("set, ls and rm: the value comes from standard input and is never shown", async () => {
  const made = await set(
    `${VALUE}\n`,
    "TOKEN",
    "--host",
    "api.example.com",
    "--host",
    "b.example.com",
    "--header",
    "Authorization",
    "--prefix",
    "Bearer ",
    "--tool",
    "psql",
    "--env",
    "PGPASSWORD",
    "-o",
    "json",
  );
  const listed = await world.aos("secret", "ls", "-o", "json");
  const text = await world.aos("secret", "ls");
  const ledger = JSON.stringify(await world.ledger());
  const removed = await world.aos("secret", "rm", "TOKEN", "-o", "json");
  const again = await world.aos("secret", "rm", "TOKEN", "-o", "json");

  expect(made.code).toBe(0);
  expect(listed.json()).toMatchObject([
    {
      name: "TOKEN",
      bindings: [
        { kind: "header", origin: "https://api.example.com", header: "authorization" },
        { kind: "header", origin: "https://b.example.com", prefix: "Bearer " },
        { kind: "variable", tool: "psql", variable: "PGPASSWORD" },
      ],
    },
  ]);
  expect(text.stdout).toContain("authorization for https://api.example.com");
  expect(removed.json()).toEqual({ name: "TOKEN" });
  expect(again.error().code).toBe("ENOENT");
  expect(ledger).toContain("secret.set");
  for (const said of [made.stdout, listed.stdout, text.stdout, ledger]) {
    expect(said).not.toContain(VALUE);
  }
  expect(await storedBytes(world.home)).not.toContain(VALUE);
});

test.each([
  [
    ["X", "--value", VALUE, "--host", "a.example", "--header", "h"],
    /must not be passed on the command line/,
  ],
  [["X", "--host", "a.example"], /--host and --header must be used together/],
  [["X", "--tool", "t", "--env", "A", "--env", "B"], /--tool and --env must be used together/],
  [["X", "--prefix", "p"], /--host and --prefix must be used together/],
  [["X", "--host", "a b", "--header", "h"], /is not an origin/],
])("secret set %j is refused", async (words, said) => {
  const ran = await set(VALUE, ...words);

  expect(ran.stderr).toMatch(said);
  expect(ran.stderr).not.toContain(VALUE);
  expect(ran.code).toBe(2);
});

test("an empty value is refused", async () => {
  expect((await set("\n", "X", "--host", "a.example", "--header", "h")).code).toBe(2);
});

test("the daemon's log is scrubbed", async () => {
  await set(VALUE, "LOGGED", "--host", "a.example", "--header", "h");
  const log = () => readFileSync(join(world.home.folder, "daemon.log"), "utf8");
  const policy = join(world.home.folder, "policy.yaml");
  onTestFinished(() => rmSync(policy));

  write(world.home.folder, {
    "policy.yaml": `version: 1\nrules: [{ id: a, deny: "tool:${VALUE}" }]\n`,
  });

  await repeat(async () =>
    log().includes("the policy was not reloaded; the previous one stays in force")
      ? true
      : undefined,
  );
  expect(log()).toContain("[secret:LOGGED]");
  expect(log()).not.toContain(VALUE);
});

test("the key is a file for its owner alone; one that others can read is refused", async () => {
  const file = join(world.home.folder, "secret.key");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await world.aos("down");
  chmodSync(file, 0o644);
  onTestFinished(() => chmodSync(file, 0o600));

  const ran = await world.aos("up", "-d");

  expect(ran.stderr).toMatch(/other users can read the key file .*secret\.key \(mode 644\)/);
  expect(ran.code).toBe(2);
});

test("or it comes from the environment, and reaches no program", async () => {
  const other = createTestHome({ AOS_SECRET_KEY: KEY });
  onTestFinished(() => other.remove());

  await other.aos("up", "-d");
  const input = JSON.stringify([["environment", {}]]);
  const ran = await other.aosWith({ cwd: world.folder }, "run", "doer.yaml", "--input-json", input);

  expect(existsSync(join(other.folder, "secret.key"))).toBe(false);
  expect(ran.stdout).toContain("PATH");
  expect(ran.stdout).not.toContain("AOS_");
});

test("a key in the environment that is none is refused, and not repeated", async () => {
  const other = createTestHome({ AOS_SECRET_KEY: "hunter2" });
  write(other.folder, {});
  onTestFinished(() => other.remove());

  const ran = await other.aos("up", "-d");

  expect(ran.stderr).toMatch(/AOS_SECRET_KEY in the environment: the key must be 32 bytes/);
  expect(ran.stderr).not.toContain("hunter2");
  expect(ran.code).toBe(2);
});
