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

const CALM = { breaker: { failures: 100, coolMs: 1 } };

test("what may be over soon is tried three times more, each rest up to twice as long", async () => {
  const { ask, last, sent, report } = openSlots();
  const asked = ask("a");
  for (const restMs of [500, 1000, 2000]) {
    await last().fail(hiccup());
    await pass(restMs - 1);
    const before = sent.length;
    await pass(1);
    expect(sent.length).toBe(before + 1);
  }

  await last().answer("at last");

  expect(asked.outcome.result).toBe("at last");
  const again = ["again: EUPSTREAM", "waits", "sent"];
  expect(asked.seen).toEqual(["sent", ...again, ...again, ...again, "answered by fake/one"]);
  expect(report()).toMatchObject({ requests: 4, failures: 3, retries: 3 });
});

test("a rest is any time up to the longest, by chance", async () => {
  const { ask, last, sent } = openSlots({}, () => 0.25);
  ask("a");

  await last().fail(hiccup());
  await pass(125);

  expect(sent.map(({ at }) => at)).toEqual([0, 125]);
});

test("no rest is longer than 30 s", async () => {
  const { ask, failAgain, sent } = openSlots(one({ retries: 10, ...CALM }));
  ask("a");

  await failAgain(10, hiccup);
  await pass(29_999);
  expect(sent.length).toBe(10);
  await pass(1);

  expect(sent.length).toBe(11);
});

test("INFERENCE-REQUEST-5: after the last try ERATE stays ERATE, and what may pass is EUPSTREAM", async () => {
  for (const [failure, code] of [
    [rateLimit, "ERATE"],
    [hiccup, "EUPSTREAM"],
  ] as const) {
    const { ask, failAgain, sent } = openSlots(one(CALM));
    const asked = ask("a");

    await failAgain(4, () => failure());

    expect(asked.outcome.failure).toMatchObject({ code });
    expect(sent.length).toBe(4);
  }
});

test("as often as the rule says, and what will not pass not at all", async () => {
  const { ask, failAgain, last, sent } = openSlots(one({ retries: 1, ...CALM }));
  ask("a");
  await failAgain(2, hiccup);
  await pass(60_000);
  expect(sent.length).toBe(2);

  for (const code of ["EINVAL", "ECONTEXT", "EUPSTREAM", "EBUDGET"] as const) {
    const asked = ask(code);
    await last().fail(new SysError(code, "no"));
    expect(asked.seen).toEqual(["sent", `failed: ${code}`]);
  }
});

test("INFERENCE-REQUEST-2: while it rests its place is free, and it comes back before those with later deadlines", async () => {
  const { ask, last, sent, names } = openSlots(one({ concurrency: 1 }));
  ask("a", { deadlineAt: NOW + 10_000 });
  for (const name of ["b", "c", "d"]) ask(name, { deadlineAt: NOW + 20_000 });

  await last().fail(hiccup());
  expect(names()).toEqual(["a", "b"]);
  await pass(500);
  await sent[1]!.answer();

  expect(names()).toEqual(["a", "b", "a"]);
});

test("INFERENCE-REQUEST-1: who is called off while it rests does not come back", async () => {
  const { ask, last, sent } = openSlots();
  const asked = ask("a");
  await last().fail(hiccup());

  await asked.callOff("no more");
  await pass(10_000);

  expect(asked.outcome.failure).toBe("no more");
  expect(sent.length).toBe(1);
});

test("INFERENCE-REQUEST-3: who asked may end it before another try", async () => {
  const { ask, last, sent, report } = openSlots();
  const asked = ask("a", {
    onRetry: () => {
      throw new SysError("EBUDGET", "that would be too much");
    },
  });

  await last().fail(hiccup());
  await pass(10_000);

  expect(asked.outcome.failure).toMatchObject({ code: "EBUDGET" });
  expect(sent.length).toBe(1);
  expect(report()).toMatchObject({ running: 0, queued: 0, retries: 0 });
});

test("who is told when to come back comes then, and everybody else stays away as well", async () => {
  const { ask, last, sent, names } = openSlots({}, () => 0);
  ask("a");
  ask("b");
  await sent[0]!.fail(rateLimit(5000));
  ask("c");
  expect(names()).toEqual(["a", "b"]);

  await pass(4999);
  expect(names()).toEqual(["a", "b"]);
  await pass(1);

  expect(names()).toEqual(["a", "b", "a", "c"]);
  expect(last().at).toBe(5000);
});

test("a pause of one model does not hold up another one of its provider", async () => {
  const { ask, last, names } = openSlots();
  ask("a");
  await last().fail(rateLimit(5000));

  ask("b", { model: "fake/two" });

  expect(names()).toEqual(["a", "b"]);
});

test("FALLBACK-CHAIN-4: who cannot wait for so long is told at once, whether it was sent or waits", async () => {
  const { ask, sent } = openSlots(one({ concurrency: 2 }));
  const hurried = ask("hurried", { deadlineAt: NOW + 4000 });
  ask("other", { deadlineAt: NOW + 4000 });
  const waiting = ask("waiting", { deadlineAt: NOW + 4000 });
  const patient = ask("patient");

  await sent[0]!.fail(rateLimit(5000));

  expect(hurried.seen).toEqual(["sent", "failed: ERATE"]);
  expect(waiting.outcome.failure).toMatchObject({ code: "ERATE", retryAfter: 5000 });
  expect(patient.seen).toEqual(["waits"]);
  const later = ask("later", { deadlineAt: NOW + 4000 });
  await pass(0);
  expect(later.seen).toEqual(["failed: ERATE"]);
});

test("FALLBACK-CHAIN-4: nobody without a deadline waits for a provider for longer than 15 minutes", async () => {
  for (const [retryAfter, seen] of [
    [15 * 60_000, ["sent", "again: ERATE", "waits"]],
    [15 * 60_000 + 1, ["sent", "failed: ERATE"]],
  ] as const) {
    const { ask, last } = openSlots();
    const asked = ask("a");

    await last().fail(rateLimit(retryAfter));

    expect(asked.seen).toEqual(seen);
  }
});

test("a failed try gives its tokens back, unless its driver says that it used some", async () => {
  const { ask, last, names } = openSlots(one({ tokensPerMinute: 100 }));
  ask("a", { tokens: 100 });
  await last().fail(new SysError("EUPSTREAM", "refused"));
  ask("b", { tokens: 100 });
  expect(names()).toEqual(["a", "b"]);

  await last().fail(new SysError("EUPSTREAM", "cut", { detail: { spent: { tokens: 60 } } }));
  ask("c", { tokens: 40 });
  ask("d", { tokens: 1 });

  expect(names()).toEqual(["a", "b", "c"]);
});
