import { expect, test } from "vitest";
import type { Velocity, SharedBudget } from "../options.ts";
import type { SpendQuery, SpendSum } from "../store/contract.ts";
import { systemPlatform } from "../platform/clock.ts";
import { Account, NOTHING } from "./accounts.ts";
import { amountOf } from "../../../tests/helpers/kernel/amount.ts";
import { SharedBudgets, type BudgetHolder } from "./shared-budgets.ts";

const NOW = Date.parse("2027-01-31T12:30:00Z");
const HOUR = 3_600_000;

interface Spent extends Partial<SpendSum> {
  readonly tenant: number;
  readonly agent: string;
  readonly hour: number;
}

const sumOf = (more: Partial<SpendSum>): SpendSum => ({
  key: "",
  ...amountOf({}),
  calls: 0,
  unpriced: 0,
  overMicroUsd: 0,
  overTokens: 0,
  ...more,
});

/** A book over these rows, and what it asked its store for. */
function bookOf(
  { budgets = [], velocity = [] }: { budgets?: SharedBudget[]; velocity?: Velocity[] },
  rows: readonly Spent[] = [],
) {
  const asked: SpendQuery[] = [];
  const noted: string[] = [];
  const store = {
    spend: async (query: SpendQuery) => {
      asked.push(query);
      const fitting = rows.filter(
        ({ tenant, agent, hour }) =>
          (query.tenant ?? tenant) === tenant &&
          (query.agent ?? agent) === agent &&
          hour >= (query.sinceMs ?? 0),
      );
      if (query.by === "hour")
        return fitting.map((row) => sumOf({ ...row, key: String(row.hour) }));
      const microUsd = fitting.reduce((sum, row) => sum + (row.microUsd ?? 0), 0);
      return [sumOf({ microUsd })];
    },
    findTenant: async (name: string) => (name === "default" ? 1 : 2),
  };
  const book = new SharedBudgets({
    store: store as never,
    platform: { ...systemPlatform, now: () => NOW, wall: () => NOW },
    budgets,
    velocity,
    alone: async () => void noted.push("alone"),
  });
  return { book, asked, noted };
}

const holder = (more: Partial<BudgetHolder> = {}): BudgetHolder => ({
  tenant: 1,
  tenantName: "default",
  agent: "writer",
  budget: {},
  ...more,
});

/** How much money a process of this holder may reserve now. */
async function leftFor(book: SharedBudgets, of: BudgetHolder): Promise<number> {
  const account = new Account(1, {}, null, NOTHING, await book.of(of));
  for (let usd = 20; usd > 0; usd--) {
    try {
      account.mustCover(amountOf({ usd }), { nowMs: NOW, what: "model:x" });
      return usd;
    } catch {
      // less, then
    }
  }
  return 0;
}

const day = (usd: number, more: Partial<SharedBudget>): SharedBudget =>
  ({ scope: "tenant", per: "day", usd, ...more }) as SharedBudget;

test("each tenant has its own where no name is given, and one with a name has what is said of it", async () => {
  const { book } = bookOf({ budgets: [day(5, {}), day(9, { name: "acme" })] });
  const acme = { tenant: 2, tenantName: "acme" };
  const [one, other] = [await book.of(holder()), await book.of(holder(acme))];

  new Account(1, {}, null, NOTHING, one)
    .reserve({ microUsd: 3_000_000, tokens: 0, toolCalls: 0 }, { nowMs: NOW, what: "model:x" })
    .settle({ microUsd: 2_000_000, tokens: 0, toolCalls: 0 }, NOW);

  expect(other).not.toBe(one);
  expect(await leftFor(book, holder())).toBe(3);
  expect(await leftFor(book, holder({ agent: "reader" }))).toBe(3);
  expect(await leftFor(book, holder(acme))).toBe(9);
});

test("all tenants and agents share the total", async () => {
  const { book } = bookOf({ budgets: [day(5, { scope: "total" })] });
  const shared = await book.of(holder({ tenant: 2, tenantName: "acme" }));

  new Account(1, {}, null, NOTHING, shared).reserve(
    { microUsd: 4_000_000, tokens: 0, toolCalls: 0 },
    { nowMs: NOW, what: "model:x" },
  );

  expect(await leftFor(book, holder())).toBe(1);
});

test("an agent is counted in its tenant; of its manifest and the configuration the smaller holds", async () => {
  const { book } = bookOf({ budgets: [day(5, { scope: "agent", name: "writer" })] });

  expect(await leftFor(book, holder({ budget: { day: { usd: 3 } } }))).toBe(3);
  expect(await leftFor(book, holder({ budget: { day: { usd: 8 } } }))).toBe(5);
  expect(await leftFor(book, holder({ agent: "reader", budget: { month: { usd: 8 } } }))).toBe(8);
  expect(await leftFor(book, holder({ agent: "reader" }))).toBe(20);
});

test("SHARED-ACCOUNTS-1: what was spent before a manifest said a limit counts against it", async () => {
  const { book } = bookOf({});
  new Account(1, {}, null, NOTHING, await book.of(holder())).reserve(
    { microUsd: 6_000_000, tokens: 0, toolCalls: 0 },
    { nowMs: NOW, what: "model:x" },
  );

  expect(await leftFor(book, holder({ budget: { hour: { usd: 8 } } }))).toBe(2);
});

test("SHARED-BUDGETS-1: it begins from what the store has of the window, asked once", async () => {
  const { book, asked } = bookOf({ budgets: [day(9, { scope: "agent" })] }, [
    { tenant: 1, agent: "writer", hour: NOW - 12 * HOUR - (NOW % HOUR), microUsd: 2e6 },
    { tenant: 1, agent: "writer", hour: NOW - 14 * HOUR, microUsd: 4e6 },
    { tenant: 1, agent: "reader", hour: NOW, microUsd: 1e6 },
    { tenant: 2, agent: "writer", hour: NOW, microUsd: 1e6 },
  ]);

  const [left, again] = await Promise.all([leftFor(book, holder()), leftFor(book, holder())]);

  expect([left, again]).toEqual([7, 7]);
  expect(asked.filter(({ sinceMs }) => sinceMs === Date.parse("2027-01-31"))).toHaveLength(1);
});

test("a brake begins from the hours of its time, each as if it were spent as late as it can have been", async () => {
  const velocity: Velocity[] = [{ scope: "tenant", name: "default", usd: 9, withinMs: 2 * HOUR }];
  const { book } = bookOf({ velocity }, [
    { tenant: 1, agent: "writer", hour: NOW - HOUR / 2, microUsd: 1e6 },
    { tenant: 1, agent: "reader", hour: NOW - 2.5 * HOUR, microUsd: 2e6 },
    { tenant: 1, agent: "writer", hour: NOW - 3.5 * HOUR, microUsd: 4e6 },
    { tenant: 2, agent: "writer", hour: NOW - HOUR / 2, microUsd: 4e6 },
  ]);

  expect(await leftFor(book, holder())).toBe(6);
  expect(await leftFor(book, holder({ tenant: 2, tenantName: "acme" }))).toBe(20);
});

test("SHARED-BUDGETS-3: where a limit holds no other node may be alive; where none does any may", async () => {
  const free = bookOf({ budgets: [day(5, { name: "acme" })] });
  await free.book.of(holder());
  expect(free.noted).toEqual([]);

  await free.book.of(holder({ budget: { hour: { tokens: 1 } } }));
  expect(free.noted).toEqual(["alone"]);

  const braked = bookOf({ velocity: [{ scope: "total", usd: 1, withinMs: 1000 }] });
  await braked.book.of(holder());
  expect(braked.noted).toEqual(["alone"]);
});

test("the reports say what is limited, and what is left of it", async () => {
  const { book } = bookOf({
    budgets: [
      { scope: "total", per: "ever", tokens: 100 },
      { scope: "tenant", name: "acme", per: "day", usd: 5 },
    ],
  });
  const shared = await book.of(holder({ budget: { hour: { toolCalls: 7 } } }));
  new Account(1, {}, null, NOTHING, shared).reserve(
    { microUsd: 0, tokens: 40, toolCalls: 1 },
    { nowMs: NOW, what: "tool:x" },
  );

  expect((await book.reports()).toSorted((a, b) => (a.of < b.of ? -1 : 1))).toEqual([
    { of: "agent writer", per: "hour", unit: "toolCalls", limit: 7, spent: 0, reserved: 1 },
    { of: "tenant acme", per: "day", unit: "usd", limit: 5, spent: 0, reserved: 0 },
    { of: "total", per: "ever", unit: "tokens", limit: 100, spent: 0, reserved: 40 },
  ]);
});

test("the reports of one tenant are there before anybody has spent, and only its own", async () => {
  const { book } = bookOf({
    budgets: [
      { scope: "total", per: "ever", tokens: 100 },
      { scope: "agent", per: "day", usd: 1 },
      { scope: "tenant", per: "day", usd: 5 },
      { scope: "tenant", name: "acme", per: "day", usd: 9 },
    ],
  });

  const of = async (tenant: number, name: string) =>
    (await book.reportsOf(tenant, name)).map((report) => [report.of, report.limit]);

  expect(await of(1, "default")).toEqual([["tenant default", 5]]);
  expect(await of(2, "acme")).toEqual([["tenant acme", 9]]);
});
