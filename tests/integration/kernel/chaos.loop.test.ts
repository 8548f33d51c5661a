// Everything at once: processes that do a bit of everything are stopped, continued, put to sleep,
// crashed and restarted at times that a seed decides, and must come to the end they would have come to
// in peace.

import type { Json, Sys } from "@aos/protocol";
import { expect, inject, test } from "vitest";
import { bootForTest, codeOf, sleepMs, TOOLS, until } from "../../helpers/kernel.ts";

const ROUNDS = 4;

interface Progress {
  readonly round: number;
  readonly sum: number;
  readonly paid: string[];
}

/** Four rounds, each a request, some things side by side, a payment and a checkpoint. */
async function worker(sys: Sys, input: Json, state?: Json): Promise<Json> {
  const { peer } = input as { peer: string };
  const before = (state ?? { round: 0, sum: 0, paid: [] }) as unknown as Progress;
  let { round, sum } = before;
  const paid = [...before.paid];
  await sys.handle("SIGUSR2", () => {});
  while (round < ROUNDS) {
    sum += (await sys.request(peer, round)) as number;
    await sys.write("/mem/working/n", round);
    const [n] = await Promise.all([
      sys.read("/mem/working/n"),
      sys.exec("look", { ms: 3 }),
      sys.sleep((await sys.now()) + 5),
    ]);
    sum += n as number;
    paid.push(await codeOf(sys.exec("pay", { ms: 2 }, { onDoubt: "fail" })));
    round += 1;
    await sys.checkpoint({ round, sum, paid });
  }
  return { sum, paid };
}

async function echo(sys: Sys): Promise<Json> {
  for (;;) {
    const { from, body, replyTo, type } = await sys.receive();
    if (type === "end") return "ended";
    await sys.send(from, (body as number) * 10, { replyTo: replyTo! });
  }
}

/** The same numbers for the same seed (mulberry32). */
function chance(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

test.each(inject("isDeep") ? [1, 2, 3, 4, 5, 6] : [1, 2, 3])(
  "in any disorder all come to the same end (seed %i)",
  async (seed) => {
    const random = chance(seed);
    let booted = await bootForTest({
      unloadAfterMs: [0, 20, 10_000][seed % 3]!,
      programs: { worker, echo },
    });
    const peer = await booted.kernel.spawn({ agent: "echo", capabilities: ["message:*:send"] });
    const capabilities = [...TOOLS, "memory:/mem/**:*", `message:${peer}:send`];
    const pids: string[] = [];
    for (let i = 0; i < 8; i++)
      pids.push(await booted.kernel.spawn({ agent: "worker", input: { peer }, capabilities }));

    for (let i = 0; i < 25; i++) {
      await sleepMs(random() * 12);
      const pid = pids[Math.floor(random() * pids.length)]!;
      const what = random();
      if (what < 0.1) booted = await booted.crash();
      else if (what < 0.2) booted = await booted.again();
      else {
        const signal = what < 0.5 ? "SIGSTOP" : what < 0.8 ? "SIGCONT" : "SIGUSR2";
        await codeOf(booted.kernel.signal(pid, signal));
      }
    }
    const { kernel, runs } = booted;
    for (const pid of pids) await codeOf(kernel.signal(pid, "SIGCONT"));

    const sum = [0, 1, 2, 3].reduce((total, n) => total + n * 10 + n, 0);
    for (const pid of pids) {
      const { state, output } = await kernel.wait(pid, { timeoutMs: 120_000 });
      expect({ state, output }).toMatchObject({ state: "completed", output: { sum } });
      const paid = (output as unknown as Progress).paid;
      const times = runs
        .filter(({ key, tool }) => tool === "pay" && key.startsWith(pid))
        .map(({ key }) => key);
      expect(new Set(times).size).toBe(times.length);
      expect(paid.length).toBe(ROUNDS);
      expect(paid.filter((code) => code === "ok").length).toBeLessThanOrEqual(times.length);
      for (const code of paid) expect(["ok", "EINDOUBT"]).toContain(code);
    }
    await kernel.send(peer, null, { type: "end" });
    await until(
      async () => (await kernel.list()).every(({ endedAt }) => endedAt !== null),
      "the end",
    );
  },
);
