// Commit function: what a commit does to chains, journal and spend, as one call of the server.
//
// COMMIT-FUNCTION-1  A chain grows only where its epoch and its last seq are the ones that the caller
//     knows; if one of the batch does not, nothing of the batch is written (FENCED).
// COMMIT-FUNCTION-2  Chains are locked by their keys, in the order of the call, and then the rows of
//     spend in theirs: the caller gives both in an order that is the same on every node.
// COMMIT-FUNCTION-3  The function is part of a step of the schema and is never edited: nodes of an older
//     release call it by its name. One that does something else has another number in its name.
// COMMIT-FUNCTION-4  It runs with the caller's rights and search path. Its statements are planned once in
//     a session, and look rows up by primary key: a plan of when the tables were empty would read all of
//     them.

import { isInTurn, setTurn, type PipelinedStatement } from "./pipeline-order.ts";

/** The code of the error by which the function refuses a batch. */
export const FENCED = "AOS01";

const CHAIN = `process bigint[], epoch bigint[], seq_before bigint[], seq_after bigint[], hash bytea[], grown_at bigint[],
  micro_usd bigint[], tokens bigint[], tool_calls bigint[], bytes bigint[], over_micro_usd bigint[], over_tokens bigint[]`;

const RECORDS = `record_process bigint[], record_seq bigint[], record_tenant bigint[], record text[], record_hash bytea[]`;

const SPEND = `spend_tenant bigint[], spend_hour bigint[], spend_agent text[], spend_root bigint[], spend_what text[],
  spend_micro_usd bigint[], spend_tokens bigint[], spend_tool_calls bigint[], spend_calls bigint[], spend_unpriced bigint[],
  spend_over_micro_usd bigint[], spend_over_tokens bigint[]`;

const parameters = [CHAIN, RECORDS, SPEND].join(", ").split(/,\s+/);

/** A statement of the eleventh step. */
export const CREATE_COMMIT_FUNCTION = `
  create or replace function aos_commit_1 (${parameters.join(", ")}) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $commit$
  #variable_conflict use_column
  declare
    chains bigint;
  begin
    update chain set seq = grown.seq, hash = grown.hash, grown_at = grown.at,
        micro_usd = chain.micro_usd + grown.micro_usd, tokens = chain.tokens + grown.tokens,
        tool_calls = chain.tool_calls + grown.tool_calls, bytes = chain.bytes + grown.bytes,
        over_micro_usd = chain.over_micro_usd + grown.over_micro_usd,
        over_tokens = chain.over_tokens + grown.over_tokens
      from unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as grown (process, epoch, before, seq, hash, at,
        micro_usd, tokens, tool_calls, bytes, over_micro_usd, over_tokens)
      where chain.process = grown.process and chain.epoch = grown.epoch and chain.seq = grown.before;
    get diagnostics chains = row_count;
    if chains <> cardinality($1) then
      raise exception 'a chain has another epoch or end' using errcode = '${FENCED}';
    end if;
    insert into journal (process, seq, tenant, record, hash) select * from unnest($13, $14, $15, $16, $17);
    insert into spend (tenant, hour, agent, root, what, micro_usd, tokens, tool_calls, calls, unpriced,
        over_micro_usd, over_tokens)
      select * from unnest($18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29)
      on conflict (tenant, hour, agent, root, what) do update
      set micro_usd = spend.micro_usd + excluded.micro_usd, tokens = spend.tokens + excluded.tokens,
        tool_calls = spend.tool_calls + excluded.tool_calls, calls = spend.calls + excluded.calls,
        unpriced = spend.unpriced + excluded.unpriced, over_micro_usd = spend.over_micro_usd + excluded.over_micro_usd,
        over_tokens = spend.over_tokens + excluded.over_tokens;
  end
  $commit$`;

/** Each with its type, so that no other function of that name fits better. */
const callWith = (value: (nth: number) => string): string =>
  `select aos_commit_1(${parameters
    .map((parameter, nth) => `${value(nth + 1)}::${parameter.split(" ")[1]}`)
    .join(", ")})`;

export const CALL_COMMIT_FUNCTION = callWith(() => "?");

/** The same as a statement of the pipeline: made in its turn, or not at all. */
export const PIPELINED_CALL: PipelinedStatement = {
  name: "aos_commit",
  text: `${callWith((nth) => `$${nth}`)}, ${setTurn(parameters.length + 2)} where ${isInTurn(parameters.length + 1)}`,
};
