import { getEventListeners } from "node:events";
import type { Lane } from "@aos/protocol";
import { afterEach, expect, test, vi } from "vitest";
import {
  hiccup,
  NOW,
  one,
  openSlots,
  pass,
  flushTasks,
} from "../../../tests/helpers/kernel/slot-models.ts";

afterEach(() => vi.useRealTimers());

const USED = { usage: { inputTokens: 10, outputTokens: 5 } };

test("without rules a request goes at once, and its answer says which model gave it", async () => {
  const { ask, last, report } = openSlots();
  const asked = ask("a");
  expect(last()).toMatchObject({ name: "a", model: "fake/one" });

  await last().answer("hello");

  expect(asked.outcome).toEqual({ model: "fake/one", result: "hello" });
  expect(asked.seen).toEqual(["sent", "answered by fake/one"]);
  expect(report()).toMatchObject({ running: 0, queued: 0, requests: 1, failures: 0 });
});

test("SLOTS-3: nothing listens any more when it is over", async () => {
  const { signal } = new AbortController();
  const { ask, last } = openSlots();
  ask("a", { signal });
  expect(getEventListeners(signal, "abort")).toHaveLength(1);

  await last().answer();

  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("a driver that throws before it returns fails like any other", async () => {
  const { slots } = openSlots();
  const nothing = () => {};

  const running = slots.run(
    {
      tenant: "default",
      model: "fake/one",
      lane: "normal",
      deadlineAt: undefined,
      tokens: 1,
      signal: new AbortController().signal,
      mayUse: () => true,
      onWait: nothing,
      onRetry: nothing,
    },
    () => {
      throw new TypeError("a mistake");
    },
  );

  await expect(running).rejects.toMatchObject({ code: "EUPSTREAM", message: "a mistake" });
  expect(slots.reports()[0]).toMatchObject({ running: 0, failures: 1 });
});

test("OCCUPANCY-1: no more at once than its model allows; the next goes when one is answered", async () => {
  const { ask, sent, names, report } = openSlots(one({ concurrency: 2 }));
  const asked = ["a", "b", "c", "d"].map((name) => ask(name));
  expect(names()).toEqual(["a", "b"]);
  expect(report()).toMatchObject({ running: 2, queued: 2 });
  expect(asked[2]!.seen).toEqual(["waits"]);

  await sent[1]!.answer();
  expect(names()).toEqual(["a", "b", "c"]);
  expect(asked[2]!.seen).toEqual(["waits", "sent"]);

  await sent[0]!.fail(new Error("gone"));
  expect(names()).toEqual(["a", "b", "c", "d"]);
});

test("OCCUPANCY-1: no more at once than its provider allows, over all its models", async () => {
  const { ask, sent, names } = openSlots({ providers: { fake: { concurrency: 2 } } });
  ask("a", { model: "fake/one" });
  ask("b", { model: "fake/two" });
  ask("c", { model: "fake/three" });
  ask("elsewhere", { model: "other/one" });
  expect(names()).toEqual(["a", "b", "elsewhere"]);

  await sent[0]!.answer();

  expect(names()).toEqual(["a", "b", "elsewhere", "c"]);
});

test("FAIR-QUEUE-1: where models share a provider's places, its tenants take turns over all of them", async () => {
  const { ask, last, names } = openSlots({ providers: { fake: { concurrency: 1 } } });
  for (let n = 0; n < 8; n++) ask("a", { tenant: "a", model: "fake/one" });
  for (let n = 0; n < 4; n++) ask("b", { tenant: "b", model: "fake/two" });

  for (let n = 0; n < 8; n++) await last().answer();

  expect(names().filter((name) => name === "b")).toHaveLength(4);
});

for (const [whose, rules] of [
  ["model", one({ requestsPerMinute: 2 })],
  ["provider", { providers: { fake: { requestsPerMinute: 2 } } }],
] as const)
  test(`OCCUPANCY-2: no more requests within a minute than its ${whose} allows`, async () => {
    const { ask, sent, names } = openSlots(rules);
    ask("a");
    await pass(10_000);
    for (const name of ["b", "c", "d"]) ask(name);
    await sent[0]!.answer(USED);
    expect(names()).toEqual(["a", "b"]);

    await pass(49_999);
    expect(names()).toEqual(["a", "b"]);
    await pass(1);
    expect(names()).toEqual(["a", "b", "c"]);
    await pass(10_000);
    expect(names()).toEqual(["a", "b", "c", "d"]);
  });

for (const [whose, rules] of [
  ["model", one({ tokensPerMinute: 150 })],
  ["provider", { providers: { fake: { tokensPerMinute: 150 } } }],
] as const)
  test(`OCCUPANCY-2: tokens of its ${whose} are set aside for the worst case, and the rest is given back`, async () => {
    const { ask, last, names } = openSlots(rules);
    ask("a", { tokens: 100 });
    ask("b", { tokens: 100 });
    expect(names()).toEqual(["a"]);

    await last().answer({ usage: { inputTokens: 30, outputTokens: 20 } });
    expect(names()).toEqual(["a", "b"]);

    await last().answer("says nothing of usage");
    ask("c", { tokens: 1 });
    expect(names()).toEqual(["a", "b"]);
    await pass(60_000);
    expect(names()).toEqual(["a", "b", "c"]);
  });

test("SLOT-LEASE-2: what a try used that was called off is given back when it is known", async () => {
  const { ask, last, names } = openSlots(one({ tokensPerMinute: 150 }));
  const first = ask("a", { tokens: 100 });
  const { answer } = last();
  await first.callOff("enough");
  ask("b", { tokens: 100 });
  expect(names()).toEqual(["a"]);

  await answer({ usage: { inputTokens: 1, outputTokens: 1 } });
  await pass(1000);

  expect(names()).toEqual(["a", "b"]);
});

test("PROVIDER-SCHEDULER-1: who is next is not passed by one that needs less", async () => {
  const { ask, names } = openSlots(one({ tokensPerMinute: 100 }));
  ask("first", { tokens: 50 });
  ask("large", { tokens: 90 });
  ask("small", { tokens: 10 });
  expect(names()).toEqual(["first"]);

  await pass(60_000);

  expect(names()).toEqual(["first", "large", "small"]);
});

test("PROVIDER-SCHEDULER-2: when the one that holds the others up is called off, they go", async () => {
  const { ask, names } = openSlots(one({ tokensPerMinute: 100 }));
  ask("first", { tokens: 50 });
  const large = ask("large", { tokens: 90 });
  ask("small", { tokens: 10 });

  await large.callOff();

  expect(names()).toEqual(["first", "small"]);
});

test("PROVIDER-SCHEDULER-3: rules that are loosened hold within a second, though nothing else happens", async () => {
  const { ask, names, rule } = openSlots(one({ concurrency: 0 }));
  ask("a");
  expect(names()).toEqual([]);

  rule(one({ concurrency: 1 }));
  await pass(1000);

  expect(names()).toEqual(["a"]);
});

test("FAIR-QUEUE-2: of one tenant the earliest deadline is first; of equals, who asked first", async () => {
  const { ask, last, names } = openSlots(one({ concurrency: 1 }));
  ask("running");
  ask("late", { deadlineAt: NOW + 9000 });
  ask("soon", { deadlineAt: NOW + 1000 });
  ask("also soon", { deadlineAt: NOW + 1000 });
  ask("next", { deadlineAt: NOW + 500 });

  for (let time = 0; time < 4; time++) await last().answer();

  expect(names()).toEqual(["running", "next", "soon", "also soon", "late"]);
});

test("the lane is a deadline for who has none", async () => {
  const { ask, last, names } = openSlots(one({ concurrency: 1 }));
  ask("running");
  for (const lane of ["background", "low", "normal", "high", "critical"] satisfies Lane[])
    ask(lane, { lane });
  ask("in 30 s", { lane: "background", deadlineAt: NOW + 30_000 });

  for (let time = 0; time < 6; time++) await last().answer();

  const order = ["running", "critical", "high", "in 30 s", "normal", "low", "background"];
  expect(names()).toEqual(order);
});

test("what is late already is served all the same, first, and is tried again", async () => {
  const { ask, last, names } = openSlots(one({ concurrency: 1 }));
  ask("running");
  ask("normal");
  const late = ask("late", { deadlineAt: NOW - 1000 });

  await last().answer();
  await last().fail(hiccup());
  await last().answer();
  await pass(500);
  await last().answer();

  expect(names()).toEqual(["running", "late", "normal", "late"]);
  expect(late.outcome.model).toBe("fake/one");
});

test("a queue that is full says so, and when to come back", async () => {
  const { ask, last, report } = openSlots({ ...one({ concurrency: 1 }), queue: 10 });
  ask("running");
  expect(ask("a").seen).toEqual(["waits"]);
  for (let n = 0; n < 9; n++) ask(`b${n}`);
  const early = ask("too many", { deadlineAt: NOW });
  await flushTasks();
  expect(early.seen).toEqual(["failed: EAGAIN"]);
  expect(early.outcome.failure).toMatchObject({ retryAfter: 1000 }); // nothing is known yet

  for (let n = 0; n < 3; n++) {
    await pass(2000);
    await last().answer();
    ask(`c${n}`);
  }
  await pass(2000);
  const late = ask("too many again");
  await flushTasks();

  // 3 answers since the first, 4 seconds ago, and the tenth of the queue is 1
  expect(late.outcome.failure).toMatchObject({ code: "EAGAIN", retryAfter: 2000 });
  expect(report()).toMatchObject({ queued: 10, running: 1 });
});

test("a queue of none takes what needs not wait", async () => {
  const { ask, names } = openSlots({ ...one({ concurrency: 1 }), queue: 0 });
  ask("a");
  const second = ask("b");
  await flushTasks();

  expect(names()).toEqual(["a"]);
  expect(second.seen).toEqual(["failed: EAGAIN"]);
});

test("INFERENCE-REQUEST-1: who is called off while it waits leaves the queue at once", async () => {
  const { ask, last, names, report } = openSlots(one({ concurrency: 1 }));
  ask("a");
  const second = ask("b");
  ask("c");

  await second.callOff("no more");

  expect(second.outcome.failure).toBe("no more");
  expect(report()).toMatchObject({ queued: 1 });
  await last().answer();
  expect(names()).toEqual(["a", "c"]);
});

test("INFERENCE-REQUEST-1: who is called off while it runs frees its place at once, though its driver goes on", async () => {
  const { ask, sent, names, report } = openSlots(one({ concurrency: 1 }));
  const first = ask("a");
  ask("b");

  await first.callOff("killed");

  expect(sent[0]!.signal.aborted).toBe(true);
  expect(first.outcome.failure).toBe("killed");
  expect(names()).toEqual(["a", "b"]);
  await sent[0]!.answer("too late");
  await sent[0]!.fail(new Error("too late"));
  expect(first.seen).toEqual(["sent", "failed: killed"]);
  expect(report()).toMatchObject({ running: 1, failures: 0, requests: 2 });
});

test("INFERENCE-REQUEST-1: who was called off before it asked is not sent", async () => {
  const { ask, names } = openSlots();
  const asked = ask("a", { signal: AbortSignal.abort("before") });
  await flushTasks();

  expect(names()).toEqual([]);
  expect(asked.outcome.failure).toBe("before");
});

test("INFERENCE-REQUEST-1: one that is called off by another that starts with it is not sent", async () => {
  const { slots, ask, last, names, report, rule } = openSlots(one({ concurrency: 0 }));
  const second = new AbortController();
  ask("a", { onWait: (isWaiting) => void (isWaiting || second.abort("by a")) });
  const other = ask("b", { signal: second.signal });

  rule({});
  await pass(1000);

  expect(names()).toEqual(["a"]);
  expect(other.outcome.failure).toBe("by a");
  expect(report()).toMatchObject({ running: 1 });
  await last().answer();
  expect(slots.reports()[0]).toMatchObject({ running: 0 });
});

test("a report says how long answers and waiting took, and what failed last, without secrets", async () => {
  const { slots, ask, last, report } = openSlots(one({ concurrency: 1 }));
  expect(slots.reports()).toMatchObject([{ model: "fake/one", requests: 0, p50Ms: null }]);
  for (const name of ["a", "b"]) ask(name);
  await pass(300);
  await last().answer();
  await pass(100);
  await last().fail(new Error("the key is 1234"));

  expect(report()).toEqual({
    model: "fake/one",
    limits: { concurrency: 1, requestsPerMinute: null, tokensPerMinute: null },
    running: 0,
    queued: 0,
    breaker: "closed",
    requests: 2,
    failures: 1,
    retries: 0,
    fallbacks: 0,
    p50Ms: 300,
    p95Ms: 300,
    waitP50Ms: 0,
    waitP95Ms: 300,
    lastFailure: { at: NOW + 400, message: "(the key is 1234)" },
  });
});

test("of very many models those that are idle are forgotten, and those in use are not", async () => {
  const { slots, ask, last } = openSlots({ models: { "replay/waiting": { concurrency: 0 } } });
  ask("busy", { model: "replay/busy" });
  ask("waiting", { model: "replay/waiting" });
  for (let n = 0; n < 2500; n++) {
    ask("x", { model: `replay/${n}` });
    await last().answer();
  }

  const reports = slots.reports();
  expect(reports.length).toBeLessThanOrEqual(1000);
  expect(reports).toContainEqual(expect.objectContaining({ model: "replay/busy", running: 1 }));
  expect(reports).toContainEqual(expect.objectContaining({ model: "replay/waiting", queued: 1 }));
});
