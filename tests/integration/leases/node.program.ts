// A node: a kernel on a PostgreSQL database, asked over standard input, one JSON object a line:
//
//   > {"id":1,"method":"spawn","args":[{"agent":"steps"}]}      < {"id":1,"ok":"agt_…"}
//   < {"trouble":"another node has taken over …","code":"EFENCED"}

import { appendFileSync, linkSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { bootKernel } from "@aos/kernel";
import type { Program, Tool } from "@aos/protocol";

export interface NodeOptions {
  readonly url: string;
  readonly node: string;
  readonly leaseMs: number;
  /** Where effects are written down, and starts of programs. */
  readonly witness: string;
  readonly unloadAfterMs: number;
  /** Trees that run at once. */
  readonly running?: number;
}

const options = JSON.parse(process.argv[2]!) as NodeOptions;
const say = (what: unknown) => void writeSync(1, `${JSON.stringify(what)}\n`);
const note = (what: object) =>
  appendFileSync(
    options.witness,
    `${JSON.stringify({ ...what, node: options.node, at: Date.now() })}\n`,
  );

/** The far side: at once or not at all, and nothing twice for one key, even when two nodes ask. */
function happen(key: string, what: string): void {
  const draft = `${options.witness}.${options.node}.draft.${key}`;
  writeFileSync(draft, what);
  try {
    linkSync(draft, `${options.witness}.happened.${key}`);
  } catch {
    // It has happened already.
  }
  rmSync(draft);
}

const effect: Tool = {
  name: "effect",
  version: "1",
  description: "something outside",
  input: {},
  effect: "external",
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run: async (args, { key }) => {
    const { what, ms } = args as { what: string; ms: number };
    note({ begins: what, key });
    await delay(ms);
    happen(key, what);
    return what;
  },
};

/** Does one thing outside after another. */
const steps: Program = async (sys, input) => {
  const { name, count, ms } = input as { name: string; count: number; ms: number };
  for (let n = 0; n < count; n++)
    await sys.exec("effect", { what: `${name}.${n}`, ms }, { onDoubt: "retry" });
  return count;
};

const listener: Program = async (sys) => {
  const bodies = [];
  for (let n = 0; n < 3; n++) bodies.push((await sys.receive()).body);
  return bodies;
};

const sleeper: Program = async (sys, input) => {
  await sys.sleep((await sys.now()) + (input as { ms: number }).ms);
  return "awake";
};

const kernel = await bootKernel({
  store: { url: options.url },
  node: options.node,
  leaseMs: options.leaseMs,
  admission: options.running === undefined ? {} : { running: options.running },
  unloadAfterMs: options.unloadAfterMs,
  programs: { steps, listener, sleeper },
  tools: [effect],
  onTrouble: (what, error) =>
    say({
      trouble: what,
      code: (error as { code?: string }).code,
      said: String((error as { detail?: unknown }).detail ?? error),
    }),
});
say({ id: 0, ok: "up" });

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, args } = JSON.parse(line) as {
    id: number;
    method: "spawn";
    args: [never];
  };
  kernel[method](...args).then(
    (ok) => say({ id, ok: ok ?? null }),
    (error: unknown) => say({ id, err: String(error) }),
  );
}
await kernel.close();
