// A folder with agents of its own, and a home to run them on.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestHome, type Ran, type TestHome } from "./home.ts";

export interface TestProject {
  readonly home: TestHome;
  readonly folder: string;
  /** In the project's folder. */
  aos(...words: string[]): Promise<Ran>;
  /** Starts an agent; its pid. */
  spawned(...words: string[]): Promise<string>;
  until(pid: string, state: string): Promise<void>;
  remove(): Promise<void>;
}

/**
 * `listener` (by name; its manifest is in the home) ends with the first message it gets.
 * `stubborn.yaml` does the same and ignores SIGINT; `asks.yaml` asks a person; `fails.yaml` tries
 * what it may not do, and ends with 96.
 */
export function createTestProject(more: Record<string, string> = {}): TestProject {
  const home = createTestHome(more);
  const folder = mkdtempSync(join(tmpdir(), "aos-e2e-project-"));
  addAgent(join(home.folder, "agents"), "listener", LISTENER);
  addAgent(folder, "stubborn", STUBBORN + LISTENER);
  addAgent(folder, "asks", ASKS);
  addAgent(folder, "fails", FAILS);
  const aos = (...words: string[]) => home.aosWith({ cwd: folder }, ...words);
  return {
    home,
    folder,
    aos,
    spawned: async (...words) => (await aos("spawn", ...words)).stdout.trim(),
    until: (pid, state) => until(home, pid, state),
    async remove() {
      await home.remove();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** The pid that `aos run` says it has started. */
export async function pidOf(running: ChildProcess): Promise<string> {
  let said = "";
  for (;;) {
    said += String(((await once(running.stderr!, "data")) as [Buffer | string])[0]);
    const pid = /agt_\w+/.exec(said)?.[0];
    if (pid !== undefined) return pid;
  }
}

async function until(home: TestHome, pid: string, state: string): Promise<void> {
  for (const since = Date.now(); Date.now() - since < 120_000;) {
    if ((await home.client.show({ pid })).state === state) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${pid} did not become ${state}`);
}

/** A program in a few lines of JavaScript that speaks the syscall protocol. */
export function addAgent(folder: string, name: string, body: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.mjs`), PRELUDE + body);
  const manifest = [
    "apiVersion: aos/v1",
    "kind: Agent",
    `name: ${name}`,
    `command: [${JSON.stringify(process.execPath)}, ${name}.mjs]`,
    'capabilities: ["message:*:receive", "memory:/mem/working/**:read,write"]',
  ];
  writeFileSync(join(folder, `${name}.yaml`), manifest.join("\n"));
}

const PRELUDE = `
import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const hear = async () => JSON.parse((await lines.next()).value);
let id = 0;
const say = (method, params) =>
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }) + "\\n");
const call = async (method, params) => {
  say(method, params);
  for (;;) { const heard = await hear(); if (heard.id === id) return heard; }
};
const { params: { input } } = await hear();
`;
const LISTENER = `
const heard = await call("receive", {});
say("exit", { code: 0, output: heard.result.body });
`;
const STUBBORN = `await call("handle", { signal: "SIGINT", action: "ignore" });`;
const FAILS = `
const no = await call("exec", { tool: "echo", args: { text: "x" } });
say("exit", { code: no.error.data.code === "EACCES" ? 96 : 3, output: "refused" });
`;
const ASKS = `
const heard = await call("ask", { question: "May I?", choices: ["yes", "no"] });
say("exit", { code: 0, output: heard.result });
`;
