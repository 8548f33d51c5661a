import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Account, NOTHING, type Reservation } from "./accounts.ts";
import { allowanceOf } from "./amount.ts";
import { VelocityLimit } from "./velocity-limit.ts";
import { BudgetGauge, type Period, type Window } from "./gauges.ts";
import { amountOf } from "../../../tests/helpers/kernel/amount.ts";
import { SharedAccounts } from "./shared-accounts.ts";

const NOON = Date.parse("2027-01-31T12:30:00Z");
const HOUR = 3_600_000;

const at = (nowMs = NOON) => ({ nowMs, what: "model:far/x" });
const gaugeOf = (...periods: Period[]) =>
  new BudgetGauge("tenant acme", periods, NOON, () => NOTHING);
const codeOf = (run: () => unknown): string => {
  try {
    run();
    return "ok";
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("BUDGET-ACCOUNTS-1", () => {
  test("what one account of the tree does not cover is reserved in none", () => {
    const above = new Account(1, { usd: 1 }, null, NOTHING);
    const own = new Account(2, { usd: 5 }, above, NOTHING);

    expect(codeOf(() => own.reserve(amountOf({ usd: 2 }), at()))).toBe("EBUDGET");

    expect([own.reserved.microUsd, above.reserved.microUsd]).toEqual([0, 0]);
    above.mustCover(amountOf({ usd: 1 }), at());
  });

  test("what a wider account does not cover is reserved in none", () => {
    const gauge = gaugeOf("day");
    const shared = new SharedAccounts(
      [{ gauge, period: "day", limit: allowanceOf({ usd: 1 }) }],
      [],
    );
    const own = new Account(1, { usd: 5 }, null, NOTHING, shared);

    expect(codeOf(() => own.reserve(amountOf({ usd: 2 }), at()))).toBe("EBUDGET");

    expect([own.reserved.microUsd, gauge.at("day", NOON).reserved.microUsd]).toEqual([0, 0]);
  });

  test("a brake that refuses leaves nothing reserved", () => {
    const gauge = gaugeOf("day");
    const shared = new SharedAccounts(
      [{ gauge, period: "day", limit: allowanceOf({ usd: 9 }) }],
      [new VelocityLimit("total", { usd: 1, withinMs: 1000 })],
    );
    const own = new Account(1, {}, null, NOTHING, shared);

    expect(codeOf(() => own.reserve(amountOf({ usd: 2 }), at()))).toBe("EVELOCITY");

    expect([own.reserved.microUsd, gauge.at("day", NOON).reserved.microUsd]).toEqual([0, 0]);
  });

  test.each(["usd", "tokens", "toolCalls"] as const)(
    "what is reserved counts until it is settled: %s",
    (unit) => {
      const gauge = gaugeOf("hour");
      const shared = new SharedAccounts(
        [{ gauge, period: "hour", limit: allowanceOf({ [unit]: 3 }) }],
        [],
      );
      const [one, other] = [1, 2].map((key) => new Account(key, {}, null, NOTHING, shared));

      const held = one!.reserve(amountOf({ [unit]: 2 }), at());

      expect(codeOf(() => other!.reserve(amountOf({ [unit]: 2 }), at()))).toBe("EBUDGET");
      held.settle(amountOf({ [unit]: 1 }), NOON);
      other!.reserve(amountOf({ [unit]: 2 }), at());
    },
  );
});

test("what is settled takes the place of what was reserved under a brake too", () => {
  const shared = new SharedAccounts([], [new VelocityLimit("total", { usd: 1, withinMs: 1000 })]);
  const account = new Account(1, {}, null, NOTHING, shared);

  account.reserve(amountOf({ usd: 1 }), at()).settle(amountOf({ usd: 0.25 }), NOON);

  expect(codeOf(() => account.mustCover(amountOf({ usd: 0.8 }), at()))).toBe("EVELOCITY");
  account.mustCover(amountOf({ usd: 0.75 }), at());
  account.mustCover(amountOf({ usd: 1 }), at(NOON + 2000));
});

test("BUDGET-ACCOUNTS-3: a reservation is settled once", () => {
  const account = new Account(1, { usd: 1 }, null, NOTHING);
  const held = account.reserve(amountOf({ usd: 0.5 }), at());

  held.settle(amountOf({ usd: 0.5 }), NOON);
  held.settle(amountOf({ usd: 0.5 }), NOON);

  expect([account.microUsd, account.reserved.microUsd]).toEqual([500_000, 0]);
});

describe("a reservation that grows", () => {
  test("holds the larger of both, and all of it is given back", () => {
    const account = new Account(1, { usd: 1, tokens: 100 }, null, NOTHING);
    const held = account.reserve(amountOf({ usd: 0.2, tokens: 50 }), at());

    held.growTo(amountOf({ usd: 0.5, tokens: 10 }), at());

    expect(held.worst).toMatchObject({ microUsd: 500_000, tokens: 50 });
    expect(codeOf(() => held.growTo(amountOf({ usd: 1.5 }), at()))).toBe("EBUDGET");
    held.settle(NOTHING, NOON);
    expect(account.reserved).toEqual(NOTHING);
  });

  test("does so in the window in which it was made", () => {
    const gauge = gaugeOf("hour");
    const shared = new SharedAccounts(
      [{ gauge, period: "hour", limit: allowanceOf({ usd: 1 }) }],
      [],
    );
    const account = new Account(1, {}, null, NOTHING, shared);
    const held = account.reserve(amountOf({ usd: 0.9 }), at());

    expect(codeOf(() => held.growTo(amountOf({ usd: 1.1 }), at(NOON + HOUR)))).toBe("EBUDGET");
  });
});

describe("GAUGES-1: when a window is over", () => {
  const limited = (period: Period) => {
    const gauge = gaugeOf(period);
    const shared = new SharedAccounts([{ gauge, period, limit: allowanceOf({ usd: 1 }) }], []);
    return { gauge, account: new Account(1, {}, null, NOTHING, shared) };
  };

  test.each<[Period, string]>([
    ["hour", "2027-01-31T13:00:00Z"],
    ["day", "2027-02-01T00:00:00Z"],
    ["month", "2027-02-01T00:00:00Z"],
  ])("there is a new %s, in UTC", (period, next) => {
    const { account } = limited(period);
    account.reserve(amountOf({ usd: 1 }), at()).settle(amountOf({ usd: 1 }), NOON);

    const over = Date.parse(next);
    expect(codeOf(() => account.reserve(amountOf({ usd: 1 }), at(over - 1)))).toBe("EBUDGET");
    expect(codeOf(() => account.reserve(amountOf({ usd: 1 }), at(over)))).toBe("ok");
  });

  test("ever is never over", () => {
    const { account } = limited("ever");
    account.reserve(amountOf({ usd: 1 }), at()).settle(amountOf({ usd: 1 }), NOON);

    expect(codeOf(() => account.reserve(amountOf({ usd: 1 }), at(NOON * 2)))).toBe("EBUDGET");
  });

  test("what was reserved in the old one is settled in the old one", () => {
    const { gauge, account } = limited("hour");
    const old = gauge.at("hour", NOON);
    const held = account.reserve(amountOf({ usd: 0.8 }), at());

    const next = account.reserve(amountOf({ usd: 1 }), at(NOON + HOUR));
    held.settle(amountOf({ usd: 0.7 }), NOON + HOUR);
    next.settle(amountOf({ usd: 0.4 }), NOON + HOUR);

    expect([old.spent.microUsd, old.reserved.microUsd]).toEqual([700_000, 0]);
    expect(gauge.at("hour", NOON + HOUR).spent.microUsd).toBe(400_000);
  });

  test("GAUGES-2: a clock that is set back brings the window of then back, with its counter", () => {
    const { account } = limited("hour");
    account.reserve(amountOf({ usd: 1 }), at(NOON)).settle(amountOf({ usd: 1 }), NOON);
    account.reserve(amountOf({ usd: 0.4 }), at(NOON + HOUR));

    expect(codeOf(() => account.reserve(amountOf({ usd: 0.1 }), at(NOON)))).toBe("EBUDGET");
    expect(codeOf(() => account.reserve(amountOf({ usd: 0.7 }), at(NOON + HOUR)))).toBe("EBUDGET");
    expect(codeOf(() => account.reserve(amountOf({ usd: 0.6 }), at(NOON + HOUR)))).toBe("ok");
  });

  test("GAUGES-2: a window before the first is as the last until the store has said what was spent in it", async () => {
    const asked: Window[] = [];
    const recall = async (_period: Period, window: Window) => {
      asked.push(window);
      return { ...amountOf({ usd: 0.5 }), owed: { microUsd: 0, tokens: 7 } };
    };
    const gauge = new BudgetGauge(
      "tenant acme",
      ["hour"],
      NOON,
      () => amountOf({ usd: 0.9 }),
      recall,
    );

    const counter = gauge.at("hour", NOON - HOUR);
    counter.spent.microUsd += 100_000; // something was settled meanwhile
    expect(counter.spent.microUsd).toBe(1_000_000);
    await new Promise(setImmediate);

    expect(counter).toMatchObject({ spent: { microUsd: 600_000 }, owed: { tokens: 7 } });
    expect(asked).toMatchObject([{ from: NOON - 1.5 * HOUR, until: NOON - 0.5 * HOUR }]);
    expect(gauge.at("hour", NOON).spent.microUsd).toBe(900_000);
    expect(gauge.at("hour", NOON - HOUR)).toBe(counter);
  });

  test("counters that were found before are found anew when a window of another account has turned", () => {
    const gauge = new BudgetGauge("tenant acme", ["hour"], NOON, () => NOTHING);
    const [one, other] = [0, 1].map(
      () => new SharedAccounts([{ gauge, period: "hour", limit: undefined }], []),
    );
    const [before] = one!.counters(NOON);
    const MORE_THAN_ARE_KEPT = 20;
    for (let hour = 1; hour < MORE_THAN_ARE_KEPT; hour++) other!.counters(NOON + hour * HOUR);

    const [after] = one!.counters(NOON);

    expect(one!.counters(NOON)[0]).toBe(after);
    expect([after, after === before]).toEqual([gauge.at("hour", NOON), false]);
  });

  test("counters are those of the window that holds now, of the shortest period", () => {
    const gauge = gaugeOf("month", "hour");
    const shared = new SharedAccounts(
      (["month", "hour"] as const).map((period) => ({ gauge, period, limit: undefined })),
      [],
    );

    for (const wallMs of [NOON, NOON + HOUR, NOON + 2 * HOUR, NOON, NOON + HOUR]) {
      const [month, hour] = shared.counters(wallMs);
      expect([month!.from <= wallMs, wallMs < month!.until]).toEqual([true, true]);
      expect([hour!.from <= wallMs, wallMs < hour!.until]).toEqual([true, true]);
    }
  });

  test("who is refused is told when to come again, and where to set more", () => {
    const { account } = limited("hour");

    expect(() => account.mustCover(amountOf({ usd: 2 }), at())).toThrow(
      expect.objectContaining({
        message: "this call could cost 2 usd, but only 1 of 1 are left for tenant acme this hour",
        hint: expect.stringContaining("budget.hour.usd"),
        retryAfter: HOUR / 2,
      }),
    );
  });
});

describe("a call whose price nobody knows", () => {
  const unpriced = amountOf({ tokens: 5, unpriced: true });
  const wideOf = (limit: { usd?: number; toolCalls?: number }) =>
    new SharedAccounts([{ gauge: gaugeOf("day"), period: "day", limit: allowanceOf(limit) }], []);
  const velocityLimit = new VelocityLimit("total", { usd: 1, withinMs: 1000 });

  test.each([
    ["its own budget is of money", new Account(1, { usd: 9 }, null, NOTHING)],
    ["one above", new Account(1, {}, new Account(2, { usd: 9 }, null, NOTHING), NOTHING)],
    ["a wider one", new Account(1, {}, null, NOTHING, wideOf({ usd: 9 }))],
    ["a brake", new Account(1, {}, null, NOTHING, new SharedAccounts([], [velocityLimit]))],
  ])("is refused where %s", (_whose, account) => {
    expect(() => account.mustCover(unpriced, at())).toThrow(
      expect.objectContaining({
        code: "EBUDGET",
        message: "the price of far/x is unknown",
        hint: expect.stringContaining("`models:` in config.yaml"),
      }),
    );
  });

  test("passes where only tokens and tool calls are limited", () => {
    const account = new Account(1, { tokens: 9 }, null, NOTHING, wideOf({ toolCalls: 1 }));

    account.reserve(unpriced, at());
  });
});

describe("parts of a limit", () => {
  const spend = (account: Account, more: Parameters<typeof amountOf>[0]) =>
    account.reserve(amountOf(more), at()).settle(amountOf(more), NOON).crossings;

  test("are told of once each, to every process whose limit it is", () => {
    const above = new Account(1, { tokens: 10 }, null, NOTHING);
    const own = new Account(2, { toolCalls: 4, usd: 1 }, above, NOTHING);

    expect(spend(own, { tokens: 4, toolCalls: 1 })).toEqual([]);
    expect(spend(own, { tokens: 1, toolCalls: 1 })).toEqual([
      { key: 2, unit: "toolCalls", part: 50 },
      { key: 1, unit: "tokens", part: 50 },
    ]);
    expect(spend(own, { tokens: 1 })).toEqual([]);
    expect(spend(own, { tokens: 2 })).toEqual([{ key: 1, unit: "tokens", part: 80 }]);
    expect(spend(own, { tokens: 2 })).toEqual([]);
  });

  test("that were passed before are not told of again after a restart", () => {
    const account = new Account(1, { usd: 1 }, null, amountOf({ usd: 0.6 }));

    expect(spend(account, { usd: 0.1 })).toEqual([]);
    expect(spend(account, { usd: 0.2 })).toEqual([{ key: 1, unit: "usd", part: 80 }]);
  });
});

test("whatever is reserved and settled in whatever order, no limit is ever passed", () => {
  const step = fc.record({
    of: fc.nat(3),
    worst: fc.integer({ min: 0, max: 40 }),
    part: fc.integer({ min: 0, max: 4 }),
    settles: fc.boolean(),
    later: fc.nat(40 * 60_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [gauge, total] = [gaugeOf("hour", "day"), gaugeOf("ever")];
      const shared = new SharedAccounts(
        [
          { gauge, period: "hour", limit: { tokens: 70 } },
          { gauge, period: "day", limit: { tokens: 150 } },
          { gauge: total, period: "ever", limit: { tokens: 400 } },
        ],
        [],
      );
      const root = new Account(0, { tokens: 300 }, null, NOTHING, shared);
      const accounts = [
        root,
        ...[1, 2, 3].map((key) => new Account(key, { tokens: 90 }, root, NOTHING, shared)),
      ];
      const open: { held: Reservation; worst: number }[] = [];
      const counters = new Set<{ spent: { tokens: number }; limit: number }>();
      let now = NOON;
      for (const { of, worst, part, settles, later } of steps) {
        now += later;
        for (const [period, limit] of [
          ["hour", 70],
          ["day", 150],
        ] as const)
          counters.add({ ...gauge.at(period, now), limit });
        if (settles) {
          const one = open.shift();
          one?.held.settle(amountOf({ tokens: Math.floor((one.worst * part) / 4) }), now);
        } else {
          const run = () => {
            const held = accounts[of]!.reserve(amountOf({ tokens: worst }), at(now));
            open.push({ held, worst });
          };
          codeOf(run);
        }
        for (const { spent, limit } of counters) expect(spent.tokens).toBeLessThanOrEqual(limit);
        for (const account of accounts)
          expect(account.tokens).toBeLessThanOrEqual(account.limit.tokens!);
        expect(total.at("ever", now).spent.tokens).toBeLessThanOrEqual(400);
      }
    }),
  );
});
