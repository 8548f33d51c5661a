// A home with a policy and a configuration of its own, and an agent that makes the calls it is told to.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Json, LedgerReport, Question } from "@aos/protocol";
import { createTestHome, killDaemon, type Ran, type TestHome } from "../home.ts";

/** A call of the agent: its name and its arguments. */
export type Step = readonly [call: string, args: object];

export interface World {
  readonly home: TestHome;
  /** Where `doer.yaml` is. */
  readonly folder: string;
  /** In that folder. */
  aos(...words: string[]): Promise<Ran>;
  /** Starts `doer.yaml`, or the agent that the words begin with, with these calls; its pid. */
  does(steps: readonly Step[], ...words: string[]): Promise<string>;
  /** What each call came to, once it has ended: its result, or the code of its failure. */
  did(pid: string): Promise<Json[]>;
  /** What waits for a person, once so many entries do. */
  asked(count: number): Promise<Question[]>;
  until(pid: string, state: string): Promise<void>;
  ledger(): Promise<LedgerReport[]>;
  /** Kills the daemon as a power cut would. */
  crash(): Promise<void>;
  remove(): Promise<void>;
}

export const ECHO: Step = ["exec", { tool: "echo", args: { text: "hi" } }];

export function createWorld(files: Readonly<Record<string, string>> = {}): World {
  const home = createTestHome();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "aos-e2e-world-")));
  write(home.folder, { ...files, "agents/doer.mjs": DOER });
  write(folder, { "doer.mjs": DOER, "doer.yaml": manifest("doer", ["tool:echo:call"]) });
  const aos = (...words: string[]) => home.aosWith({ cwd: folder }, ...words);
  const json = async (...words: string[]) => (await aos(...words, "-o", "json")).json();
  return {
    home,
    folder,
    aos,
    does: async (steps, ...words) => {
      const isNamed = words[0] !== undefined && !words[0].startsWith("-");
      const agent = isNamed ? words : ["doer.yaml", ...words];
      return (await aos("spawn", ...agent, "--input-json", JSON.stringify(steps))).stdout.trim();
    },
    did: async (pid) =>
      ((await json("wait", pid, "--timeout", "60s")) as { output: Json[] }).output,
    asked: (count) =>
      repeat(async () => {
        const open = [...(await home.client.questions({}))];
        return open.length >= count ? open : undefined;
      }),
    until: async (pid, state) => {
      await repeat(async () =>
        (await home.client.show({ pid })).state === state ? true : undefined,
      );
    },
    ledger: async () => (await json("audit", "ledger")) as LedgerReport[],
    crash: () => killDaemon(home.folder),
    async remove() {
      await home.remove();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Writes files below a folder, which is made where there is none. */
export function write(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

export async function repeat<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const since = Date.now(); Date.now() - since < 120_000;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it did not come to that");
}

export const manifest = (name: string, capabilities: readonly string[]): string =>
  [
    "apiVersion: aos/v1",
    "kind: Agent",
    `name: ${name}`,
    `command: [${JSON.stringify(process.execPath)}, doer.mjs]`,
    "capabilities:",
    ...["message:*:receive", ...capabilities].map((text) => `  - ${JSON.stringify(text)}`),
    "",
  ].join("\n");

/** Rules that allow everything but what is written after them. */
export const policy = (...rules: readonly string[]): string =>
  [
    "version: 1",
    "rules:",
    '  - { id: all, allow: "*" }',
    ...rules.map((rule) => `  - ${rule}`),
    "",
  ].join("\n");

const DOER = `
import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const hear = async () => JSON.parse((await lines.next()).value);
const say = (id, method, params) =>
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\\n");
const { params: { input } } = await hear();
const output = [];
let id = 0;
for (const [method, params] of input) {
  if (method === "environment") { output.push(Object.keys(process.env).sort()); continue; }
  say(++id, method, params);
  let heard;
  do heard = await hear(); while (heard.id !== id);
  output.push(heard.error === undefined ? heard.result : heard.error.data.code);
}
say(++id, "exit", { code: 0, output });
`;
