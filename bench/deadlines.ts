// deadlines: the same requests, with the same deadlines, durations and failures, served in three ways by a
// model with 8 slots. Time is simulated: nothing is waited for, and every run gives the same figures for
// the same seed.
//
//   ours        the earliest deadline first; a request that backs off holds no slot
//   fifo        the same machinery, in the order of arrival: what the order alone is worth
//   semaphore   a plain semaphore around calls that are tried again inside it, twice, after 2 and 4
//               seconds, as the AI SDK does it unless told otherwise; LangGraph's users write the same
//
// The mix: people who wait (short answers, wanted in 5 s), steps of agents (30 s), and background work
// (long answers, 5 minutes). Arrivals are random, a tenth above what the slots can serve for the first
// four minutes, so that there is a queue. One try in twenty fails and may be over soon.

import { mock } from "node:test";
import { SysError } from "../protocol/src/index.ts";
import type { Platform } from "../kernel/src/platform/clock.ts";
import { Slots } from "../kernel/src/slot/slots.ts";
import { inChild } from "./child.ts";
import { quantile, round } from "./measure.ts";
import { Semaphore } from "./semaphore.ts";

const PLACES = 8;
const LOAD = 1.1;
const ARRIVALS_MS = 240_000;
const FAILS = 0.05;
const SEEDS = [1, 2, 3, 4, 5];

const MIX = [
  { kind: "person", share: 0.3, medianMs: 800, withinMs: 5_000 },
  { kind: "step", share: 0.5, medianMs: 2_000, withinMs: 30_000 },
  { kind: "night", share: 0.2, medianMs: 6_000, withinMs: 300_000 },
] as const;

interface Request {
  readonly kind: (typeof MIX)[number]["kind"];
  readonly at: number;
  readonly dueAt: number;
  readonly takesMs: number;
  /** Tries that fail before one is answered. */
  readonly failures: number;
}

type Serve = (request: Request, attempt: () => Promise<void>) => Promise<unknown>;

/** The same numbers in every run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** How much longer than the median the mean of `spread` is: the square of 3 / ln 4, by 4. */
const MEAN_OF_MEDIAN = 1.17;

/** From a quarter to four times the median, most of them near it. */
const spread = (medianMs: number, random: () => number): number =>
  Math.round(medianMs * 4 ** (random() + random() - 1));

function arrivals(random: () => number): Request[] {
  const meanMs = MIX.reduce(
    (sum, { share, medianMs }) => sum + share * medianMs * MEAN_OF_MEDIAN,
    0,
  );
  const everyMs = meanMs / PLACES / LOAD;
  const requests: Request[] = [];
  for (let at = 0; at < ARRIVALS_MS; at += Math.ceil(-Math.log(1 - random()) * everyMs)) {
    let left = random();
    const { kind, medianMs, withinMs } = MIX.find(({ share }) => (left -= share) < 0) ?? MIX[2];
    const failures = random() < FAILS ? 1 : 0;
    const takesMs = spread(medianMs, random);
    requests.push({ kind, at, dueAt: at + withinMs, takesMs, failures });
  }
  return requests;
}

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** Slots of ours, in the order that a request's rank says. */
function slotsBy(rank: (request: Request) => number, random: () => number): Serve {
  const platform = { now: () => Date.now(), random } as Platform;
  const rules = {
    providers: {},
    models: { "bench/one": { concurrency: PLACES } },
    tenants: {},
  };
  const slots = new Slots({ rules: () => rules, platform });
  return (request, attempt) =>
    slots.run(
      {
        tenant: "default",
        model: "bench/one",
        lane: "normal",
        deadlineAt: rank(request),
        tokens: 1000,
        signal: new AbortController().signal,
        mayUse: () => false,
        onWait: () => {},
        onRetry: () => {},
      },
      attempt,
    );
}

/** Retries inside the slot that it holds. */
function semaphore(): Serve {
  const places = new Semaphore(PLACES);
  return (_request, attempt) =>
    places.run(async () => {
      for (const restMs of [2000, 4000]) {
        try {
          return await attempt();
        } catch {
          await sleep(restMs);
        }
      }
      return attempt();
    });
}

interface Outcome {
  readonly request: Request;
  readonly endedAt: number;
}

/** Serves all of them under a simulated clock. */
async function simulate(requests: readonly Request[], serve: Serve): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const attemptOf = (request: Request) => {
    let tries = 0;
    return async () => {
      tries += 1;
      // A failure is known after a tenth of the time that the answer would have taken.
      await sleep(tries <= request.failures ? Math.ceil(request.takesMs / 10) : request.takesMs);
      if (tries <= request.failures)
        throw new SysError("EUPSTREAM", "overloaded", { detail: { transient: true } });
    };
  };
  for (const request of requests)
    setTimeout(() => {
      void serve(request, attemptOf(request)).then(() => {
        outcomes.push({ request, endedAt: Date.now() });
      });
    }, request.at);
  while (outcomes.length < requests.length) {
    mock.timers.tick(1);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  return outcomes;
}

interface Figures {
  readonly missedPercent: number;
  readonly missedPercentOfPeople: number;
  readonly meanTurnaroundMs: number;
  readonly p95TurnaroundOfPeopleMs: number;
}

function figures(outcomes: readonly Outcome[]): Figures {
  const people = outcomes.filter(({ request }) => request.kind === "person");
  const missed = (some: readonly Outcome[]) =>
    round((100 * some.filter((one) => one.endedAt > one.request.dueAt).length) / some.length, 1);
  const turnarounds = (some: readonly Outcome[]) =>
    some.map(({ request, endedAt }) => endedAt - request.at);
  const all = turnarounds(outcomes);
  return {
    missedPercent: missed(outcomes),
    missedPercentOfPeople: missed(people),
    meanTurnaroundMs: round(all.reduce((sum, ms) => sum + ms, 0) / all.length),
    p95TurnaroundOfPeopleMs: round(quantile(turnarounds(people), 0.95)),
  };
}

type Ways = Record<"ours" | "fifo" | "semaphore", Figures>;

async function served(way: keyof Ways): Promise<{ outcomes: Outcome[] }> {
  const outcomes: Outcome[] = [];
  for (const seed of SEEDS) {
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 });
    const random = chance(seed);
    const requests = arrivals(random);
    const serve = {
      ours: () => slotsBy(({ dueAt }) => dueAt, random),
      fifo: () => slotsBy(({ at }) => at, random),
      semaphore,
    }[way]();
    outcomes.push(...(await simulate(requests, serve)));
    mock.timers.reset();
  }
  return { outcomes };
}

export async function runDeadlines(): Promise<Ways & { requests: number }> {
  const ours = await served("ours");
  const fifo = await served("fifo");
  const plain = await served("semaphore");
  return {
    ours: figures(ours.outcomes),
    fifo: figures(fifo.outcomes),
    semaphore: figures(plain.outcomes),
    requests: ours.outcomes.length,
  };
}

export async function deadlines(): Promise<Record<string, unknown>> {
  const figured = await inChild<Awaited<ReturnType<typeof runDeadlines>>>("deadlines", {});
  return { ...figured, places: PLACES, load: LOAD, seeds: SEEDS.length, time: "simulated" };
}
