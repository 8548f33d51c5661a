// Lone record: what a commit of one record does, as one statement with no arrays and no function. An agent that
// works alone makes all its commits so, and they cost the server and us two thirds of a call of the function.
//
// LONE-RECORD-1  It does what the commit function does (COMMIT-FUNCTION-1, COMMIT-FUNCTION-2): a chain
//     that has another epoch or end gives no row, and then nothing is written.

import type { Extension } from "../contract.ts";
import { amountsOf } from "../spend.ts";
import type { SpendRow } from "../spend-row.ts";
import { wholeNumber, type SqlValue } from "../writes.ts";
import { asKept } from "./commit-columns.ts";
import { isInTurn, setTurn, type PipelinedStatement } from "./pipeline-order.ts";

const TYPES =
  "bigint bigint bigint bytea bigint bigint bigint bigint bigint bigint bigint bigint text " + // chain and record
  "bigint bigint text bigint text bigint bigint bigint bigint bigint bigint bigint"; // spend
const types = TYPES.split(" ");

const $ = (nth: number): string => `$${nth}::${types[nth - 1]}`;
const $$ = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, nth) => $(from + nth)).join(", ");

export const LONE_RECORD: PipelinedStatement = {
  name: "aos_lone_record",
  text: `
  with grown as (
    update chain set seq = ${$(3)}, hash = ${$(4)}, grown_at = ${$(5)}, micro_usd = micro_usd + ${$(6)},
        tokens = tokens + ${$(7)}, tool_calls = tool_calls + ${$(8)}, bytes = bytes + ${$(9)},
        over_micro_usd = over_micro_usd + ${$(10)}, over_tokens = over_tokens + ${$(11)}
      where process = ${$(1)} and epoch = ${$(2)} and seq = ${$(3)} - 1 and ${isInTurn(types.length + 1)}
      returning process),
  recorded as (
    insert into journal (process, seq, tenant, record, hash)
      select process, ${$(3)}, ${$(12)}, ${$(13)}, ${$(4)} from grown),
  spent as (
    insert into spend (tenant, hour, agent, root, what, micro_usd, tokens, tool_calls, calls, unpriced,
        over_micro_usd, over_tokens)
      select ${$$(14, 25)} from grown where ${$(14)} is not null
      on conflict (tenant, hour, agent, root, what) do update
      set micro_usd = spend.micro_usd + excluded.micro_usd, tokens = spend.tokens + excluded.tokens,
        tool_calls = spend.tool_calls + excluded.tool_calls, calls = spend.calls + excluded.calls,
        unpriced = spend.unpriced + excluded.unpriced, over_micro_usd = spend.over_micro_usd + excluded.over_micro_usd,
        over_tokens = spend.over_tokens + excluded.over_tokens)
  select ${setTurn(types.length + 2)} from grown`,
};

export const isLoneRecord = ([extension, ...others]: readonly Extension[]): boolean =>
  others.length === 0 && extension?.records.length === 1 && extension.spend.length <= 1;

const NOTHING_SPENT: readonly null[] = Array.from({ length: 12 }, () => null);

/** The values of LONE_RECORD but for the turns. */
export function loneRecordValues({ records, spend, ...extension }: Extension): SqlValue[] {
  const { text, hash } = records[0]!;
  return [
    extension.process,
    extension.epoch,
    extension.firstSeq,
    hash,
    extension.at,
    Math.floor(extension.microUsd),
    Math.floor(extension.tokens),
    extension.toolCalls,
    text.length,
    extension.overMicroUsd,
    extension.overTokens,
    extension.tenant,
    text,
    ...(spend.length === 0 ? NOTHING_SPENT : spendValues(asKept(spend[0]!))),
  ].map(wholeNumber);
}

const spendValues = (row: SpendRow): SqlValue[] => [
  row.tenant,
  row.hour,
  row.agent,
  row.root,
  row.what,
  ...amountsOf(row),
];
