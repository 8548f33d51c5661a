// The daemon is killed at every write of an example, in the sandbox and under the policy that ships: the run
// ends with the same result, and what it does outside is done once. Every call is on the disk before the next
// (`durability: every-call`), so that a write is a boundary between two steps.

import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Json } from "@aos/protocol";
import { createTestHome, daemonPid, ROOT, type TestHome } from "../e2e/home.ts";
import { untilThrough } from "./crash.ts";

/** More than the writes that come before the run. */
const BEFORE = 1000;
const SWITCH = join(import.meta.dirname, "kill-switch.program.ts");

interface Example {
  readonly name: string;
  readonly input: string;
  readonly words: readonly string[];
  /** The folder that it works on. */
  prepare(folder: string): void;
  /** What a person says to its own question. */
  readonly answer: string;
  /** What a person finds who looks whether this was done. */
  wasDone(home: TestHome): boolean;
  /** All that is to be seen outside. */
  effects(home: TestHome, pid: string, folder: string): Promise<unknown>;
}

const research: Example = {
  name: "research",
  input: "When does the ferry run in winter?",
  words: [],
  prepare: (folder) => cpSync(join(ROOT, "examples/research/pages"), folder, { recursive: true }),
  answer: "approve",
  wasDone: () => false, // whatever is in doubt here may be done again: the site knows keys
  effects: async (_home, _pid, folder) => {
    const site = join(folder, "site");
    const feed = JSON.parse(readFileSync(join(site, "feed.json"), "utf8")) as { path: string }[];
    const texts = readdirSync(site).filter((file) => file.endsWith(".md"));
    return {
      feed: feed.map(({ path }) => path),
      texts: texts.map((file) => [file, readFileSync(join(site, file), "utf8")]),
    };
  },
};

interface Carried {
  readonly isKilled: boolean;
  /** From the start of the run on, also those of a daemon that came later. */
  readonly writes: number;
  readonly result: Json;
  readonly effects: unknown;
}

/** One run from its start to its end, whatever happens to the daemon at this write. */
async function carryThrough(example: Example, killAt?: number): Promise<Carried> {
  const above = mkdtempSync(join(tmpdir(), "aos-example-"));
  const folder = join(above, "project");
  const count = join(above, "writes");
  const home = createTestHome({
    AOS_HTTP: "off",
    AOS_TEST_KILL: `${killAt === undefined ? Number.MAX_SAFE_INTEGER : BEFORE + killAt}:before`,
    AOS_TEST_KILL_COUNT: count,
  });
  const { NODE_OPTIONS: watching = "" } = home.env;
  home.env["NODE_OPTIONS"] = `${watching} --disable-warning=ExperimentalWarning --import ${SWITCH}`;
  try {
    writeFileSync(count, "");
    example.prepare(folder);
    await home.aos("trust", `examples/${example.name}`, "--yes");
    writeFileSync(join(home.folder, "config.yaml"), "durability: every-call\n", { mode: 0o600 });
    await home.aos("down");
    await home.aos("up", "-d");
    const first = daemonPid(home.folder);
    writeFileSync(count, ".".repeat(BEFORE));

    const pid = await start(home, example, folder);
    const result = await end(home, example, pid);

    const isKilled = daemonPid(home.folder) !== first;
    const verified = await home.aos("audit", "verify");
    expect(verified.code, verified.stderr).toBe(0);
    const writes = statSync(count).size - BEFORE;
    return { isKilled, writes, result, effects: await example.effects(home, pid, folder) };
  } finally {
    await home.remove();
    rmSync(above, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** A daemon that died before it had answered has the run, or nobody knows of one. */
async function start(home: TestHome, { name, input, words }: Example, folder: string) {
  for (;;) {
    const more = ["--dir", folder, ...words, "-o", "json"];
    const spawned = await home.aos("spawn", `examples/${name}`, input, ...more);
    if (spawned.code === 0) return (spawned.json() as { pid: string }).pid;
    await home.aos("up", "-d");
    const runs = await home.client.list({ states: "" }).catch(() => []);
    const begun = runs.find(({ agent }) => agent === name);
    if (begun !== undefined) return begun.pid;
  }
}

/** A person answers what is asked, and starts the daemon again where there is none. */
async function end(home: TestHome, example: Example, pid: string): Promise<Json> {
  for (;;) {
    const looked = await look(home, pid);
    if (looked === undefined) await home.aos("up", "-d");
    else if (looked.run.endedAt !== null) {
      expect(looked.run).toMatchObject({ state: "completed" });
      return (looked.run.output as { result: Json }).result;
    }
    for (const { id, kind } of looked?.questions ?? []) {
      const found = example.wasDone(home) ? "done" : "retry";
      await home.aos("approve", id, kind === "doubt" ? found : example.answer);
    }
    await sleep(200);
  }
}

/** Undefined where no daemon answers. */
async function look({ client }: TestHome, pid: string) {
  try {
    const { state, output, error, endedAt } = await client.show({ pid });
    return { run: { state, output, error, endedAt }, questions: await client.questions({}) };
  } catch {
    return undefined;
  }
}

test.each([research])(
  "$name, killed before every write, ends with the same result, and does nothing twice",
  async (example) => {
    const { isKilled, writes: all, ...expected } = await carryThrough(example);
    expect(isKilled).toBe(false);
    expect(all).toBeGreaterThan(30);

    let kills = 0;
    await untilThrough(1, async (killAt) => {
      const { isKilled: wasKilled, writes, ...came } = await carryThrough(example, killAt);
      expect(came, `killed before write ${killAt}`).toEqual(expected);
      if (wasKilled) kills += 1; // two threads that write at once count past a number
      return writes < killAt;
    });

    expect(kills).toBeGreaterThan(20);
  },
);
