import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import type { SpendRow } from "../spend-row.ts";
import { SpendRows } from "./spend-rows.ts";

const row = (more: Partial<SpendRow> = {}): SpendRow => ({
  tenant: 1,
  hour: 0,
  agent: "writer",
  root: 1,
  what: "tool:look",
  microUsd: 0,
  tokens: 5,
  toolCalls: 1,
  calls: 1,
  unpriced: 0,
  overMicroUsd: 0,
  overTokens: 0,
  ...more,
});

let db: DatabaseSync;
let rows: SpendRows;
beforeEach(() => {
  db = new DatabaseSync(":memory:");
  db.exec(`create table spend (tenant int, hour int, agent text, root int, what text, micro_usd int, tokens int,
    tool_calls int, calls int, unpriced int, over_micro_usd int, over_tokens int,
    primary key (tenant, hour, agent, root, what))`);
  rows = new SpendRows(db);
});

const all = () =>
  db
    .prepare(
      "select what, hour, agent, root, tenant, tokens, calls from spend order by 1, 2, 3, 4, 5",
    )
    .all()
    .map((found) => Object.values(found));

test("what is added to one row adds up, and each part of the key makes a row of its own", () => {
  const others = [{ tenant: 2 }, { hour: 1 }, { agent: "reader" }, { root: 2 }, { what: "tool:x" }];

  for (let round = 0; round < 2; round++) for (const more of [{}, ...others]) rows.add(row(more));

  expect(all()).toEqual([
    ["tool:look", 0, "reader", 1, 1, 10, 2],
    ["tool:look", 0, "writer", 1, 1, 10, 2],
    ["tool:look", 0, "writer", 1, 2, 10, 2],
    ["tool:look", 0, "writer", 2, 1, 10, 2],
    ["tool:look", 1, "writer", 1, 1, 10, 2],
    ["tool:x", 0, "writer", 1, 1, 10, 2],
  ]);
});

test("SPEND-ROWS-1: a row whose rowid another row has by now is added to all the same", () => {
  rows.add(row());
  rows.add(row({ what: "tool:other" }));
  db.exec("update spend set rowid = rowid + 10; update spend set rowid = 12 - rowid % 10");

  rows.add(row());
  rows.add(row({ what: "tool:other" }));

  expect(all().map(([what, , , , , tokens]) => [what, tokens])).toEqual([
    ["tool:look", 10],
    ["tool:other", 10],
  ]);
});

test("SPEND-ROWS-1: a row that was removed begins anew", () => {
  rows.add(row());
  db.exec("delete from spend");

  rows.add(row({ tokens: 7 }));

  expect(all()).toEqual([["tool:look", 0, "writer", 1, 1, 7, 1]]);
});

test("a row that a rollback took back is there after the next", () => {
  db.exec("begin");
  rows.add(row());
  db.exec("rollback");
  rows.forget();

  rows.add(row());
  rows.add(row());

  expect(all()).toEqual([["tool:look", 0, "writer", 1, 1, 10, 2]]);
});

const PAID = { microUsd: 3, tokens: 5, unpriced: 1, overMicroUsd: 7, overTokens: 11 };
const sums = () => {
  const columns = "micro_usd, tokens, tool_calls, calls, unpriced, over_micro_usd, over_tokens";
  return db
    .prepare(`select ${columns} from spend`)
    .all()
    .map((found) => Object.values(found));
};

test.each(Object.keys(PAID) as (keyof typeof PAID)[])(
  "a call that was paid for with %s alone is added to those that cost nothing",
  (unit) => {
    const free = row({ tokens: 0 });
    const paid: SpendRow = { ...free, [unit]: PAID[unit] };

    for (const one of [free, free, paid, free]) rows.add(one);

    const { microUsd, tokens, unpriced, overMicroUsd, overTokens } = paid;
    expect(sums()).toEqual([[microUsd, tokens, 4, 4, unpriced, overMicroUsd, overTokens]]);
  },
);
