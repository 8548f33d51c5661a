// messages: durable sends and receives per second. The agents form a ring: each sends a message to the next, waits
// until it is on the disk, and receives the one that was sent to it. BullMQ on Redis with `appendfsync always` and
// pg-boss on PostgreSQL with fsync do the same in the same run.

import { tmpdir } from "node:os";
import type { Sys } from "../protocol/src/index.ts";
import { startPostgres } from "../tests/helpers/postgres.ts";
import { inChild } from "./child.ts";
import { median, payloadOf, round, withKernel } from "./measure.ts";
import { runPeer } from "./peers/run.mjs";

type Size = {
  readonly agents: number;
  /** Messages that each sends, and receives. */
  readonly steps: number;
  readonly bytes: number;
};

const SIZE: Size = { agents: 100, steps: 100, bytes: 400 };
const ROUNDS = 3;
const WARM_ROUNDS = 3;

/** Sends and receives a second: two for each message. */
export async function runMessages({ agents, steps, bytes }: Size): Promise<number> {
  const member = async (sys: Sys) => {
    const { body } = await sys.receive({ type: "ring" });
    const { next, seed } = body as { next: string; seed: number };
    for (let step = 0; step < steps; step++) {
      await sys.send(next, payloadOf(bytes, seed * 1_000_003 + step), { type: "note" });
      await sys.receive({ type: "note" });
    }
  };
  const options = { durability: "every-call" as const, programs: { member } };
  return withKernel(options, async ({ kernel }) => {
    const ring = async () => {
      const spawning = Array.from({ length: agents }, () =>
        kernel.spawn({ agent: "member", capabilities: ["message:*:*"] }),
      );
      const pids = await Promise.all(spawning);
      const from = performance.now();
      const told = pids.map((pid, seed) =>
        kernel.send(pid, { next: pids[(seed + 1) % agents]!, seed }, { type: "ring" }),
      );
      await Promise.all(told);
      for (const ending of await Promise.all(pids.map((pid) => kernel.wait(pid))))
        if (ending.state !== "completed") throw new Error(`a member is ${ending.state}`);
      return (2 * agents * steps) / ((performance.now() - from) / 1000);
    };
    for (let round = 0; round < WARM_ROUNDS; round++) await ring();
    return ring();
  });
}

export async function messages(): Promise<Record<string, unknown>> {
  const ours: number[] = [];
  for (let count = 0; count < ROUNDS; count++) ours.push(await inChild("messages", SIZE));
  const bullmq = await peer("bullmq");
  return {
    ours: round(median(ours)),
    bullmq,
    pgBoss: await onPostgres(),
    agents: SIZE.agents,
    unit: "sends and receives a second, each durable",
  };
}

async function onPostgres(): Promise<number | string> {
  const server = await startPostgres({
    isDurable: true,
    parent: process.env["AOS_BENCH_DIR"] ?? tmpdir(),
  });
  try {
    return await peer("pg-boss", { url: (await server.createDatabase()).url });
  } finally {
    await server.stop();
  }
}

async function peer(name: string, more: { readonly url?: string } = {}): Promise<number | string> {
  const { stepsPerSecond, error } = (await runPeer(name, { ...SIZE, warm: 3, ...more })) as {
    stepsPerSecond?: number;
    error?: string;
  };
  return stepsPerSecond === undefined ? (error ?? "no result") : 2 * stepsPerSecond;
}
