// A finished, varied history on disk: what the audit tests change a copy of.

import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bootKernel, type AuditReport, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Program, Tool } from "@aos/protocol";
import { checked } from "../../helpers/reference.ts";

const worker: Program = async (sys, input) => {
  const { n } = input as { n: number };
  await sys.random();
  await sys.write("/mem/working/large", `${n} large `.repeat(400));
  await sys.exec("charge", { n }, { onDoubt: "retry" });
  await sys.checkpoint({ n });
  const child = await sys.spawn("child", { n }, { capabilities: ["memory:/mem/**:read"] });
  await sys.wait(child);
  await sys.infer({ model: "fake/1", messages: [{ role: "user", content: `hello ${n}` }] });
  return { n, large: await sys.read("/mem/working/large") };
};

const child: Program = async (sys, input) => {
  await sys.now();
  await sys.read("/mem/working/nothing").catch(() => {});
  return input;
};

const failing: Program = async (sys) => {
  await sys.now();
  throw new Error("as it was meant to");
};

const charge: Tool = {
  name: "charge",
  version: "1",
  description: "charge",
  input: {},
  effect: "external",
  touches: () => [],
  run: async (args) => args,
};

const options = (folder: string): KernelOptions => ({
  store: { file: join(folder, "aos.db") },
  auditFolder: join(folder, "audit"),
  programs: { worker, child, failing },
  tools: [charge],
  models: [
    {
      provider: "fake",
      egress: false,
      worstCase: () => ({ usd: 0.1, tokens: 10 }),
      infer: async () => ({
        text: "hello",
        toolCalls: [],
        finish: "stop",
        usage: { inputTokens: 2, outputTokens: 3 },
        usd: 0.02,
      }),
    },
  ],
});

const CAPABILITIES = ["tool:*:call", "memory:/mem/**:read,write", "agent:*:spawn", "model:*:infer"];

export interface History {
  readonly folder: string;
  readonly pids: readonly string[];
  readonly fork: string;
  readonly compacted: string;
}

/** Sound as it is written; the copies that are changed below are not judged again: their records are no decisions. */
const boot = async (folder: string, more: KernelOptions = {}): Promise<Kernel> =>
  checked(await bootKernel({ ...options(folder), ...more }), options(folder));

/** Runs, a fork, a failure and a run whose history retention has removed. */
export async function writeHistory(): Promise<History> {
  const folder = await mkdtemp(join(tmpdir(), "aos-audit-"));
  const run = async (kernel: Kernel, agent: string, n: number) => {
    const pid = await kernel.spawn({ agent, input: { n }, capabilities: CAPABILITIES });
    await kernel.wait(pid);
    return pid;
  };
  const first = await boot(folder, { retention: { maxRuns: 0 } });
  const compacted = await run(first, "failing", 0);
  await first.collect();
  await first.close();

  const kernel = await boot(folder);
  const pids = [
    await run(kernel, "worker", 1),
    await run(kernel, "worker", 2),
    await run(kernel, "failing", 3),
  ];
  const fork = await kernel.fork(pids[0]!, { at: 8 });
  await kernel.wait(fork);
  await kernel.close();
  return { folder, pids, fork, compacted };
}

/** Changes a copy behind the kernel's back, and asks it what it finds. */
export async function verifyAfter(
  { folder }: History,
  change: (database: DatabaseSync, copy: string) => void | Promise<void>,
): Promise<AuditReport> {
  return inCopy(folder, async (copy) => {
    const database = new DatabaseSync(join(copy, "aos.db"));
    await change(database, copy);
    database.close();
    return verify(copy);
  });
}

export async function inCopy<T>(folder: string, work: (copy: string) => Promise<T>): Promise<T> {
  const copy = await mkdtemp(join(tmpdir(), "aos-audit-"));
  try {
    await cp(folder, copy, { recursive: true });
    return await work(copy);
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 20 });
  }
}

export async function verify(folder: string): Promise<AuditReport> {
  const kernel = await bootKernel(options(folder));
  try {
    return await kernel.verify();
  } finally {
    await kernel.close();
  }
}
