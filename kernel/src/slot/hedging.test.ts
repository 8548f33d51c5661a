import { afterEach, expect, test, vi } from "vitest";
import { hiccup, one, openSlots, pass } from "../../../tests/helpers/kernel/slot-models.ts";

afterEach(() => vi.useRealTimers());

const HEDGED = one({ hedgeAfterMs: 1000, retries: 0 });
const covered = { onHedge: () => {} };

test("nothing is hedged unless a rule says so, and who asks has covered it", async () => {
  const plain = openSlots();
  plain.ask("a", covered);
  await pass(60_000);
  expect(plain.sent).toHaveLength(1);
  expect(plain.slots.triesAtOnce("fake/one")).toBe(1);

  const hedged = openSlots(HEDGED);
  hedged.ask("a");
  await pass(60_000);
  expect(hedged.sent).toHaveLength(1);
  expect(hedged.slots.triesAtOnce("fake/one")).toBe(2);
});

test("INFERENCE-REQUEST-4: the first answer counts, and the other try is stopped and its place free", async () => {
  for (const winner of [0, 1]) {
    const { ask, sent, report } = openSlots(HEDGED);
    const asked = ask("a", covered);
    await pass(999);
    expect(sent).toHaveLength(1);
    await pass(1);
    expect(sent).toHaveLength(2);
    expect(report()).toMatchObject({ running: 2, requests: 2, retries: 0 });

    await sent[winner]!.answer(winner);

    expect(asked.outcome.result).toBe(winner);
    expect(sent[1 - winner]!.signal.aborted).toBe(true);
    expect(sent[winner]!.signal.aborted).toBe(false);
    expect(report()).toMatchObject({ running: 0 });
    await sent[1 - winner]!.answer("too late");
    expect(asked.seen.filter((told) => told.startsWith("answered"))).toHaveLength(1);
  }
});

test("an answer in time is not hedged", async () => {
  const { ask, last, sent } = openSlots(HEDGED);
  ask("a", covered);
  await pass(999);

  await last().answer();
  await pass(60_000);

  expect(sent).toHaveLength(1);
});

test("only a place that nobody waits for is used", async () => {
  const full = openSlots(one({ hedgeAfterMs: 1000, concurrency: 1 }));
  full.ask("a", covered);
  await pass(60_000);
  expect(full.sent).toHaveLength(1);

  const waited = openSlots({
    models: { "fake/one": { hedgeAfterMs: 1000 }, "fake/two": { concurrency: 0 } },
  });
  waited.ask("a", covered);
  waited.ask("b", { model: "fake/two" });
  await pass(60_000);
  expect(waited.sent).toHaveLength(1);

  const provider = openSlots({ ...HEDGED, providers: { fake: { concurrency: 1 } } });
  provider.ask("a", covered);
  await pass(60_000);
  expect(provider.sent).toHaveLength(1);
});

test("a second try that is not covered is not made, and the first goes on", async () => {
  const { ask, last, sent, report } = openSlots(HEDGED);
  const asked = ask("a", {
    onHedge: () => {
      throw new Error("too much");
    },
  });
  await pass(60_000);
  expect(sent).toHaveLength(1);
  expect(report()).toMatchObject({ running: 1, requests: 1 });

  await last().answer("fine");

  expect(asked.outcome.result).toBe("fine");
});

test("if one of two fails, the other is waited for; if both do, it fails", async () => {
  const { ask, sent } = openSlots(HEDGED);
  const first = ask("a", covered);
  await pass(1000);
  await sent[0]!.fail(hiccup());
  expect(first.seen).toEqual(["sent"]);
  await sent[1]!.answer("fine");
  expect(first.outcome.result).toBe("fine");

  const second = ask("b", covered);
  await pass(1000);
  await sent[3]!.fail(hiccup());
  await sent[2]!.fail(hiccup());
  expect(second.outcome.failure).toMatchObject({ code: "EUPSTREAM" });
});

test("a try after one that failed is hedged by its own time", async () => {
  const { ask, last, sent } = openSlots(one({ hedgeAfterMs: 1000 }), () => 0);
  ask("a", covered);
  await pass(900);
  await last().fail(hiccup());
  await pass(0);

  await pass(999);
  expect(sent).toHaveLength(2);
  await pass(1);
  expect(sent).toHaveLength(3);
});

test("INFERENCE-REQUEST-1: who is called off stops both", async () => {
  const { ask, sent, report } = openSlots(HEDGED);
  const asked = ask("a", covered);
  await pass(1000);

  await asked.callOff("killed");

  expect(sent.map(({ signal }) => signal.reason as unknown)).toEqual(["killed", "killed"]);
  expect(asked.outcome.failure).toBe("killed");
  expect(report()).toMatchObject({ running: 0 });
});
