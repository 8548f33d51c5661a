// scheduler: 10,000 requests of 20 tenants wait for 8 places at a model that answers at once. What is
// measured is everything around the answers, from the first request to the last answer, divided by how many
// there were; the median of some rounds. `us` is by the clock on the wall, `cpuUs` is what the processor
// spent, garbage collection included: on a machine that does other work only the latter means anything.
//
//   ours        deadlines, shares, limits per minute, breaker, figures
//   semaphore   a plain one, which has none of them: what an array and a counter cost

import type { SlotRules } from "../kernel/src/options.ts";
import { systemPlatform } from "../kernel/src/platform/clock.ts";
import { Slots } from "../kernel/src/slot/slots.ts";
import { inChild } from "./child.ts";
import { median, round } from "./measure.ts";
import { Semaphore } from "./semaphore.ts";

const REQUESTS = 10_000;
const TENANTS = 20;
const PLACES = 8;
const ROUNDS = 9;

const PER_MINUTE = 1e9;

const rules: SlotRules = {
  providers: { bench: { concurrency: PLACES, requestsPerMinute: PER_MINUTE } },
  models: { "bench/one": { concurrency: PLACES, tokensPerMinute: PER_MINUTE } },
  tenants: { "tenant 1": { weight: 2 } },
};

const nothing = () => {};
const answer = { usage: { inputTokens: 900, outputTokens: 100 } };

async function ours(): Promise<{ sent: number; deepest: number }> {
  const slots = new Slots({ rules: () => rules, platform: systemPlatform });
  const from = systemPlatform.now();
  let sent = 0;
  const all = Array.from({ length: REQUESTS }, (_, index) =>
    slots.run(
      {
        tenant: `tenant ${index % TENANTS}`,
        model: "bench/one",
        lane: "normal",
        deadlineAt: from + ((index * 7919) % 60_000),
        tokens: 2000,
        signal: new AbortController().signal,
        mayUse: () => false,
        onWait: nothing,
        onRetry: nothing,
      },
      async () => {
        sent += 1;
        return answer;
      },
    ),
  );
  const deepest = slots.reports()[0]!.queued;
  await Promise.all(all);
  return { sent, deepest };
}

async function semaphore(): Promise<{ sent: number }> {
  const places = new Semaphore(PLACES);
  let sent = 0;
  const all = Array.from({ length: REQUESTS }, () =>
    places.run(async () => {
      sent += 1;
      return answer;
    }),
  );
  await Promise.all(all);
  return { sent };
}

interface Each {
  readonly us: number;
  readonly cpuUs: number;
}

async function each(serve: () => Promise<{ sent: number }>): Promise<Each> {
  const walls: number[] = [];
  const processors: number[] = [];
  for (let turn = 0; turn <= ROUNDS; turn++) {
    globalThis.gc?.();
    const used = process.cpuUsage();
    const from = performance.now();
    const { sent } = await serve();
    const tookMs = performance.now() - from;
    const { user, system } = process.cpuUsage(used);
    if (sent !== REQUESTS) throw new Error(`${sent} of ${REQUESTS} were sent`);
    if (turn === 0) continue;
    walls.push((tookMs * 1000) / REQUESTS);
    processors.push((user + system) / REQUESTS);
  }
  return { us: round(median(walls), 2), cpuUs: round(median(processors), 2) };
}

interface Figures {
  readonly ours: Each;
  readonly semaphore: Each;
  readonly deepest: number;
}

export async function runScheduler(): Promise<Figures> {
  const { deepest } = await ours();
  return { ours: await each(ours), semaphore: await each(semaphore), deepest };
}

export async function scheduler(): Promise<Record<string, unknown>> {
  const figures = await inChild<Figures>("scheduler", {});
  return {
    ...figures,
    limits: { us: 50 },
    requests: REQUESTS,
    tenants: TENANTS,
    places: PLACES,
    unit: "µs of overhead per request; deepest: requests that waited at once",
  };
}
