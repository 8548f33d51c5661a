// Mail storm: agents that send each other messages while their host is killed at random, and what must be so afterwards.
//
// Every agent sends in rounds: some messages, then it receives as many. Bodies say who sent them, and their number among
// all that this sender has sent: the outputs of all agents together say whether each was handled once, and in order.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Json, Program, ProcessId } from "@aos/protocol";
import { expect } from "vitest";

export interface MailStorm {
  readonly store: NonNullable<KernelOptions["store"]>;
  readonly agents: number;
  readonly rounds: number;
  readonly perRound: number;
}

/** Who sent it, and the how-manyth of that sender it is. */
type Stamp = [sender: number, nth: number];

const peer: Program = async (sys, input) => {
  const { me, rounds, perRound } = input as { me: number; rounds: number; perRound: number };
  const peers = (await sys.receive({ type: "peers" })).body as ProcessId[];
  const got: Stamp[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let nth = round * perRound; nth < (round + 1) * perRound; nth++)
      await sys.send(peers[(me + 1 + nth) % peers.length]!, [me, nth], { type: "stamp" });
    for (let nth = 0; nth < perRound; nth++)
      got.push((await sys.receive({ type: "stamp" })).body as Stamp);
  }
  return got;
};

const root: Program = async (sys, input) => {
  const { agents, rounds, perRound } = input as unknown as MailStorm;
  const peers: ProcessId[] = [];
  for (let me = 0; me < agents; me++)
    peers.push(
      await sys.spawn("peer", { me, rounds, perRound }, { capabilities: ["message:*:send"] }),
    );
  for (const pid of peers) await sys.send(pid, peers as unknown as Json, { type: "peers" });
  const outputs: Json[] = [];
  for (const pid of peers) outputs.push((await sys.wait(pid)).output);
  return outputs;
};

export const bootStorm = (store: MailStorm["store"]): Promise<Kernel> =>
  bootKernel({
    store,
    programs: { root, peer },
    limits: { treeProcesses: 1000 },
    node: "storm",
    unloadAfterMs: 200,
  });

/** Begins the storm, or goes on with it, to its end. */
export async function ride(kernel: Kernel, { agents, rounds, perRound }: MailStorm) {
  const known = (await kernel.list()).find(({ parent }) => parent === null);
  const pid =
    known?.pid ??
    (await kernel.spawn({
      agent: "root",
      input: { agents, rounds, perRound },
      capabilities: ["agent:peer:spawn", "message:*:send"],
    }));
  return kernel.wait(pid);
}

/** A host in a process of its own; killed after so long, where that is said. Whether it came to the end. */
export async function runStorm(storm: MailStorm, killAfterMs?: number): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "mail-storm.program.ts"), JSON.stringify(storm)],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  child.stdout.on("data", (chunk) => {
    const isFirst = said === "";
    said += String(chunk);
    // From when it works: a machine that is slow to start it would never come to the storm.
    if (isFirst && killAfterMs !== undefined)
      setTimeout(() => child.kill("SIGKILL"), killAfterMs).unref();
  });
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on("close", (code, signal) => resolve([code, signal]));
  });
  if (signal === "SIGKILL") return false;
  if (code !== 0) throw new Error(`the host failed:\n${said}`);
  return true;
}

/** Each message was handled once, and those of one sender in the order of sending; nothing is left over. */
export async function expectAllHandledOnce(storm: MailStorm): Promise<void> {
  const kernel = await bootStorm(storm.store);
  try {
    const { output, error } = await ride(kernel, storm);
    expect(error).toBeNull();
    const { agents, rounds, perRound } = storm;
    const got = output as unknown as Stamp[][];
    const counts = new Map<string, number>();
    for (const [receiver, stamps] of got.entries()) {
      const last = new Map<number, number>();
      for (const [sender, nth] of stamps) {
        counts.set(`${sender} ${nth}`, (counts.get(`${sender} ${nth}`) ?? 0) + 1);
        expect((sender + 1 + nth) % agents, "it was for another").toBe(receiver);
        expect(nth, "out of order").toBeGreaterThan(last.get(sender) ?? -1);
        last.set(sender, nth);
      }
    }
    expect(counts.size, "some are lost").toBe(agents * rounds * perRound);
    expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
    expect(await kernel.deadLetters()).toEqual([]);
    expect((await kernel.queue()).mailboxes).toEqual([]);
    expect((await kernel.verify()).findings).toEqual([]);
  } finally {
    await kernel.close();
  }
}
