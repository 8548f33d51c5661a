import { SysError } from "@aos/protocol";
import { afterEach, expect, test, vi } from "vitest";
import {
  hiccup,
  NOW,
  one,
  openSlots,
  pass,
  rateLimit,
} from "../../../tests/helpers/kernel/slot-models.ts";

afterEach(() => vi.useRealTimers());

const CHAIN = {
  models: {
    "fake/one": { retries: 0, fallback: ["fake/two", "other/three"] },
    "fake/two": { retries: 0 },
  },
};

test("when its tries are used up the next model is asked, and the answer says so", async () => {
  const { ask, last, sent, report } = openSlots(CHAIN);
  const asked = ask("a");

  await last().fail(hiccup());
  await last().fail(hiccup());
  await last().answer("hello");

  expect(sent.map(({ model }) => model)).toEqual(["fake/one", "fake/two", "other/three"]);
  expect(asked.outcome).toEqual({ model: "other/three", result: "hello" });
  expect(asked.seen.filter((told) => told.startsWith("again"))).toHaveLength(2); // INFERENCE-REQUEST-3
  expect(report()).toMatchObject({ fallbacks: 1, retries: 0 });
  expect(report("other/three")).toMatchObject({ requests: 1, fallbacks: 0 });
});

test("a failure that is the model's goes to the next one without another try", async () => {
  for (const code of ["EUPSTREAM", "ENOENT", "ETIMEDOUT", "EACCES"] as const) {
    const { ask, last, sent } = openSlots({ models: { "fake/one": { fallback: ["fake/two"] } } });
    ask("a");

    await last().fail(new SysError(code, "no"));

    expect(sent.map(({ model }) => model)).toEqual(["fake/one", "fake/two"]);
  }
});

test("a failure that is the request's, or of who makes it, does not", async () => {
  for (const code of ["EINVAL", "ECONTEXT", "EINTR", "EBUDGET", "EPOLICY"] as const) {
    const { ask, last, sent } = openSlots(CHAIN);
    const asked = ask("a");

    await last().fail(new SysError(code, "no"));

    expect(asked.outcome.failure).toMatchObject({ code });
    expect(sent).toHaveLength(1);
  }
});

test("FALLBACK-CHAIN-2: a model that may not be used is passed over; it is asked about only when it would be", async () => {
  const { ask, last, sent } = openSlots(CHAIN);
  const about: string[] = [];
  ask("a", { mayUse: (model) => (about.push(model), model !== "fake/two") });
  expect(about).toEqual([]);

  await last().fail(hiccup());

  expect(sent.map(({ model }) => model)).toEqual(["fake/one", "other/three"]);
  expect(about.slice(0, 2)).toEqual(["fake/two", "other/three"]);
});

test("INFERENCE-REQUEST-5: where nothing is left it fails as it did last", async () => {
  const { ask, last, sent } = openSlots(CHAIN);
  const asked = ask("a", { mayUse: (model) => model === "fake/two" });

  await last().fail(hiccup());
  await last().fail(rateLimit());

  expect(asked.outcome.failure).toMatchObject({ code: "ERATE" });
  expect(sent).toHaveLength(2);
});

test("INFERENCE-REQUEST-3: a budget may end it before the next model is asked", async () => {
  const { ask, last, sent } = openSlots(CHAIN);
  const asked = ask("a", {
    onRetry: () => {
      throw new SysError("EBUDGET", "too much");
    },
  });

  await last().fail(hiccup());

  expect(asked.outcome.failure).toMatchObject({ code: "EBUDGET" });
  expect(sent).toHaveLength(1);
});

test("what may be used is asked again when the failed try is counted: it may be too dear then", async () => {
  const { ask, last, sent } = openSlots(CHAIN);
  let isCounted = false;
  const asked = ask("a", {
    mayUse: (model) => model === "other/three" || !isCounted,
    onRetry: (_, next) => {
      isCounted = true;
      asked.seen.push(`to ${next}`);
    },
  });
  await last().fail(hiccup());
  expect(last()).toMatchObject({ model: "other/three" });
  expect(asked.seen).toEqual(["sent", "to fake/two", "waits", "sent"]);

  isCounted = false;
  const poor = ask("b", { mayUse: () => !isCounted, onRetry: () => void (isCounted = true) });
  await last().fail(hiccup());

  expect(poor.seen).toEqual(["sent", "waits", "failed: EUPSTREAM"]);
  expect(sent).toHaveLength(3);
});

test("FALLBACK-CHAIN-2: a fallback whose queue is full is passed over", async () => {
  const { ask, sent } = openSlots({
    queue: 1,
    models: { ...CHAIN.models, "fake/two": { concurrency: 1 } },
  });
  ask("x", { model: "fake/two" });
  ask("y", { model: "fake/two" });
  ask("a");

  await sent[1]!.fail(hiccup());

  expect(sent.at(-1)).toMatchObject({ name: "a", model: "other/three" });
});

test("it keeps its deadline at the next model", async () => {
  const { ask, sent, names } = openSlots({
    models: { "fake/one": { retries: 0, fallback: ["fake/two"] }, "fake/two": { concurrency: 1 } },
  });
  ask("x", { model: "fake/two" });
  ask("later", { model: "fake/two", deadlineAt: NOW + 9000 });
  ask("a", { deadlineAt: NOW + 5000 });
  await sent[1]!.fail(hiccup());

  await sent[0]!.answer();

  expect(names()).toEqual(["x", "a", "a"]);
});

// ── The breaker ──────────────────────────────────────────────────────────────────────────────────

/** A model that has failed five times in a row, just now. */
async function broken(rules: Parameters<typeof openSlots>[0] = one({ retries: 0 })) {
  const context = openSlots(rules);
  for (let n = 0; n < 5; n++) {
    context.ask(`broken ${n}`, { mayUse: () => false });
    await context.last().fail(hiccup());
  }
  expect(context.report()).toMatchObject({ breaker: "open" });
  context.sent.length = 0;
  return context;
}

test("while a breaker is open requests go to the fallback, without one having been tried", async () => {
  const { ask, last, report } = await broken(CHAIN);

  const asked = ask("a");

  expect(last()).toMatchObject({ name: "a", model: "fake/two" });
  expect(asked.seen).toEqual(["sent"]);
  expect(report()).toMatchObject({ requests: 5, fallbacks: 1 });
});

test("FALLBACK-CHAIN-4: without a fallback they wait if their deadline allows, and else are told when to come back", async () => {
  const { ask, names } = await broken();
  await pass(10_000);
  const waiting = ask("normal");
  const exact = ask("exact", { deadlineAt: NOW + 30_000 });
  const hurried = ask("hurried", { deadlineAt: NOW + 29_999 });
  const critical = ask("critical", { lane: "critical" });
  await pass(0);

  expect([waiting.seen, exact.seen]).toEqual([["waits"], ["waits"]]);
  for (const { outcome } of [hurried, critical])
    expect(outcome.failure).toMatchObject({
      code: "EUPSTREAM",
      retryAfter: 20_000,
      message: "fake/one failed 5 times in a row; its circuit breaker is open",
    });
  await pass(20_000);
  expect(names()).toEqual(["exact"]);
});

test("BREAKER-1: one goes when it has cooled; its answer lets the others go", async () => {
  const { ask, last, names, report } = await broken();
  for (const name of ["a", "b", "c"]) ask(name);
  await pass(30_000);
  expect(names()).toEqual(["a"]);
  expect(report()).toMatchObject({ breaker: "half-open", queued: 2 });

  await last().answer();

  expect(names()).toEqual(["a", "b", "c"]);
  expect(report()).toMatchObject({ breaker: "closed" });
});

test("BREAKER-1: its failure keeps the others away; those whose deadline that passes are told", async () => {
  const { ask, last, names } = await broken();
  ask("a");
  const soon = ask("soon", { deadlineAt: NOW + 50_000 });
  const background = ask("background", { lane: "background" });
  await pass(30_000);
  expect(names()).toEqual(["soon"]);
  const normal = ask("normal", { deadlineAt: NOW + 59_000 });

  await last().fail(hiccup());

  expect(soon.outcome.failure).toMatchObject({ code: "EUPSTREAM" });
  expect(normal.outcome.failure).toMatchObject({ code: "EUPSTREAM" });
  expect(background.seen).toEqual(["waits"]);
});

test("BREAKER-1: if it is called off the next one goes", async () => {
  const { ask, names } = await broken();
  const first = ask("a");
  ask("b");
  await pass(30_000);
  expect(names()).toEqual(["a"]);

  await first.callOff();

  expect(names()).toEqual(["a", "b"]);
});

test("those who wait when it opens go to their fallback", async () => {
  const { ask, sent } = openSlots({
    models: { "fake/one": { concurrency: 5, retries: 0, fallback: ["fake/two"] } },
  });
  for (let n = 0; n < 5; n++) ask(`running ${n}`, { mayUse: () => false });
  const moved = ask("moved");
  const stays = ask("stays", { mayUse: () => false, lane: "background" });
  for (const { fail } of sent.splice(0, 5).slice(0, 4)) void fail(hiccup());
  await pass(0);
  // Four have failed, and those who waited have been sent in their place.
  expect(sent.map(({ name }) => name)).toEqual(["moved", "stays"]);
  await sent[0]!.fail(hiccup());

  expect(sent.at(-1)).toMatchObject({ name: "moved", model: "fake/two" });
  expect(moved.seen).toEqual(["waits", "sent", "again: EUPSTREAM", "waits", "sent"]);
  await sent[1]!.fail(hiccup());
  expect(stays.outcome.failure).toMatchObject({ code: "EUPSTREAM" });
});

test("those in the queue when it opens go to their fallback, or wait, or are told", async () => {
  const { ask, sent, names } = openSlots({
    models: {
      "fake/one": {
        concurrency: 1,
        retries: 0,
        fallback: ["fake/two"],
        breaker: { failures: 1, coolMs: 30_000 },
      },
    },
  });
  ask("running", { mayUse: () => false });
  ask("moved");
  const waits = ask("waits", { mayUse: () => false });
  const told = ask("told", { mayUse: () => false, lane: "critical" });

  await sent[0]!.fail(hiccup());

  expect(names()).toEqual(["running", "moved"]);
  expect(sent[1]).toMatchObject({ model: "fake/two" });
  expect(waits.seen).toEqual(["waits"]);
  expect(told.seen).toEqual(["waits", "failed: EUPSTREAM"]);
});

test("a retry finds the breaker open, and goes to the fallback at once", async () => {
  const { ask, last, sent } = openSlots({
    models: { "fake/one": { fallback: ["fake/two"], breaker: { failures: 2, coolMs: 30_000 } } },
  });
  ask("a");
  await last().fail(hiccup());
  await pass(500);

  await last().fail(hiccup());

  expect(sent.map(({ model }) => model)).toEqual(["fake/one", "fake/one", "fake/two"]);
});

test("who says when to come back is not out of order; who only says no is", async () => {
  for (const [failure, state] of [
    [() => rateLimit(1), "closed"],
    [() => rateLimit(), "open"],
    [() => hiccup(1), "open"],
    [() => new SysError("EUPSTREAM", "never"), "closed"],
  ] as const) {
    const { ask, last, report } = openSlots(one({ retries: 0 }));
    for (let n = 0; n < 5; n++) {
      ask("a");
      await last().fail(failure());
      await pass(10);
    }

    expect(report()).toMatchObject({ breaker: state });
  }
});

test("what says that the model is there ends a row of failures", async () => {
  const { ask, last, report } = openSlots(
    one({ retries: 0, breaker: { failures: 2, coolMs: 1000 } }),
  );
  for (const failure of [hiccup(), new SysError("EINVAL", "no"), hiccup()]) {
    ask("a");
    await last().fail(failure);
  }

  expect(report()).toMatchObject({ breaker: "closed" });
});

test("FALLBACK-CHAIN-3: a model whose attempts are used up is not asked again, also in a circle", async () => {
  const { ask, failAgain, sent } = openSlots({
    models: {
      "fake/one": { retries: 0, fallback: ["fake/two"] },
      "fake/two": { retries: 0, fallback: ["fake/one"] },
    },
  });
  const asked = ask("a");

  await failAgain(2, hiccup);

  expect(asked.outcome.failure).toMatchObject({ code: "EUPSTREAM" });
  expect(sent).toHaveLength(2);
});
