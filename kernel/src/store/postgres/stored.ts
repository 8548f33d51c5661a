// Stored: all that a process is loaded from but its records, in one statement (stored-process.ts).
//
// It answers in JSON and can be prepared: a column that a table gains while we run changes no type of it.

import { SPENT_BY_TREE } from "../reads.ts";
import { HEAD } from "../stored-process.ts";

const rowsOf = (table: string, where: string, order: string): string => `
  coalesce((select json_agg(one order by ${order}) from ${table} one where ${where}), '[]')`;

const BLOCK_IDS = `
  select block ->> 'id' from json_array_elements(head.spec::json -> 'blocks') block
  union select block ->> 'id' from holding, json_array_elements(holding.blocks::json) block
    where holding.process = head.key`;

/** `?1` and `?2` are the process. */
export const STORED = `
  with head as (${HEAD})
  select row_to_json(head) as head,
    ${rowsOf("holding", "one.process = head.key", "one.given_at, one.handle")} as holdings,
    ${rowsOf("holding", "one.process = 0 and one.tenant = head.tenant and one.agent = head.agent", "one.given_at, one.handle")} as standing,
    ${rowsOf("message", "one.process = head.key", "one.key")} as messages,
    ${rowsOf("signal", "one.process = head.key", "one.key")} as signals,
    ${rowsOf("block", `one.id in (${BLOCK_IDS})`, "one.id")} as blocks,
    (select row_to_json(spent) from (${SPENT_BY_TREE}) spent) as spent
  from head`;
