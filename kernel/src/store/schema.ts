// Schema: the tables, and the steps from one version to the next. Forward only; a step, once
// released, is never edited. The two databases differ in the names of types and in how a journal is
// found: SQLite follows `prev` from row to row, since an index would cost every append a second page.

import { CREATE_COMMIT_FUNCTION } from "./postgres/commit-function.ts";

export type Dialect = "sqlite" | "postgres";

interface Step {
  readonly version: number;
  readonly statements: (dialect: Dialect) => readonly string[];
}

const first: Step = {
  version: 1,
  statements: (dialect) => {
    const sqlite = dialect === "sqlite";
    const key = sqlite ? "integer primary key" : "bigint primary key";
    const int = sqlite ? "integer" : "bigint";
    const real = sqlite ? "real" : "double precision";
    const bytes = sqlite ? "blob" : "bytea";
    const flag = "integer";
    // Compared by code point, whatever the language of the database: ranges of paths and ids rely on it.
    const word = sqlite ? "text" : `text collate "C"`;
    return [
      `create table tenant (id ${key}, name text not null unique)`,
      `create table counter (name text primary key, tenant ${int} not null, next ${int} not null)`,
      `insert into counter values ('key', 0, 1)`,
      `insert into tenant values (1, 'default')`,
      `create table process (
         key ${key}, tenant ${int} not null, pid ${word} not null unique, agent text not null,
         parent ${int}, parent_pid text, root ${int} not null, depth integer not null,
         state text not null, waiting_on text, wake_at ${int}, base ${int} not null default 0, exit_code integer,
         started_at ${int} not null, ended_at ${int}, shared_from ${int}, label text, compacted ${flag} not null default 0,
         spec text not null, output text, error text)`,
      `create index process_living on process (state) where ended_at is null`,
      `create index process_tree on process (root) where ended_at is null`,
      `create index process_wake on process (wake_at) where wake_at is not null`,
      `create index process_parent on process (parent) where parent is not null`,
      `create index process_shared on process (shared_from) where shared_from is not null`,
      `create index process_ended on process (ended_at) where ended_at is not null and compacted = 0`,
      `create table chain (
         process ${key}, tenant ${int} not null, node text not null, epoch ${int} not null, seq ${int} not null,
         pos ${int} not null, hash ${bytes} not null, usd ${real} not null, tokens ${int} not null,
         tool_calls ${int} not null, bytes ${int} not null, grown_at ${int} not null)`,
      sqlite
        ? `create table journal (
             pos integer primary key, tenant integer not null, process integer not null, prev integer not null,
             record text not null, hash blob not null)`
        : `create table journal (
             process bigint not null, seq bigint not null, tenant bigint not null,
             record text not null, hash bytea not null, primary key (process, seq))`,
      `create table blob (tenant ${int} not null, digest text not null, body text not null, primary key (tenant, digest))`,
      `create table blob_use (tenant ${int} not null, digest text not null, process ${int} not null, primary key (tenant, digest, process))`,
      `create index blob_use_of on blob_use (process)`,
      `create table manifest (tenant ${int} not null, hash text not null, body text not null, primary key (tenant, hash))`,
      `create table message (
         key ${key}, tenant ${int} not null, process ${int} not null, id text not null, sender text not null,
         type text not null, topic text, reply_to text, body text not null, cause text not null,
         sent_at ${int} not null, label text not null)`,
      `create index message_of on message (process, key)`,
      `create table subscription (tenant ${int} not null, topic text not null, process ${int} not null, primary key (tenant, topic, process))`,
      `create index subscription_of on subscription (process)`,
      `create table signal (
         key ${key}, tenant ${int} not null, process ${int} not null, signal text not null, cause text not null, sent_at ${int} not null)`,
      `create index signal_of on signal (process, key)`,
      `create table file (
         tenant ${int} not null, space ${int} not null, path ${word} not null, data text not null, writer text not null,
         label text not null, written_at ${int} not null, primary key (tenant, space, path))`,
      `create table question (
         id ${word} primary key, tenant ${int} not null, process ${int} not null, pid text not null, n ${int} not null,
         kind text not null, question text not null, choices text not null, digest text not null,
         asked_at ${int} not null, expires_at ${int}, answer text, reason text, answered_by text, answered_at ${int})`,
      `create index question_of on question (process)`,
      `create table block (id text primary key, tenant ${int} not null, state text not null)`,
      `create table core (process ${key}, tenant ${int} not null, body text not null)`,
      `create table node (name text primary key, tenant ${int} not null, expires_at ${int} not null)`,
    ];
  },
};

/** Power that is given after birth, people who vote, labels of what is outside, secrets, and the ledger. */
const second: Step = {
  version: 2,
  statements: (dialect) => {
    const sqlite = dialect === "sqlite";
    const int = sqlite ? "integer" : "bigint";
    const bytes = sqlite ? "blob" : "bytea";
    const word = sqlite ? "text" : `text collate "C"`;
    return [
      `alter table question add column channel text`,
      `alter table question add column quorum integer not null default 1`,
      `alter table question add column batch text`,
      `alter table question add column about text`,
      `alter table question add column joined integer not null default 0`,
      `create index question_open on question (batch) where answered_at is null`,
      `create index question_asked on question (tenant, asked_at)`,
      `create table vote (
         question ${word} not null, tenant ${int} not null, process ${int} not null, person ${word} not null,
         choice text not null, reason text, at ${int} not null, signature text, primary key (question, person))`,
      `create index vote_of on vote (process)`,
      // Ranges of ids are by code point here too.
      ...(sqlite ? [] : [`alter table block alter column id type ${word}`]),
      `create table holding (
         handle ${word} primary key, tenant ${int} not null, process ${int} not null, agent text not null,
         state text not null, blocks text not null, given_by text not null, given_at ${int} not null,
         expires_at ${int}, reason text)`,
      `create index holding_of on holding (process)`,
      `create index holding_standing on holding (tenant, agent) where process = 0`,
      `create table revoked (id ${word} primary key, tenant ${int} not null, at ${int} not null, person text not null)`,
      `create table resource_label (
         tenant ${int} not null, resource ${word} not null, label text not null, primary key (tenant, resource))`,
      `create table secret (
         tenant ${int} not null, name text not null, sealed text not null, updated_at ${int} not null, primary key (tenant, name))`,
      `create table ledger (
         node ${word} not null, seq ${int} not null, tenant ${int} not null, at ${int} not null, entry text not null,
         hash ${bytes} not null, primary key (node, seq))`,
      `create index ledger_at on ledger (at)`,
    ];
  },
};

/** How urgent a process is; and what was spent, by the hour, by whom, on what. */
const third: Step = {
  version: 3,
  statements: (dialect) => {
    const sqlite = dialect === "sqlite";
    const int = sqlite ? "integer" : "bigint";
    const real = sqlite ? "real" : "double precision";
    const word = sqlite ? "text" : `text collate "C"`;
    return [
      `alter table process add column lane text`,
      `alter table process add column begun_at ${int}`,
      // `what` is model:NAME or tool:NAME; `hour` is milliseconds since 1970 at its beginning.
      `create table spend (
         tenant ${int} not null, hour ${int} not null, agent ${word} not null, root ${int} not null, what ${word} not null,
         usd ${real} not null, tokens ${int} not null, tool_calls ${int} not null, calls ${int} not null,
         unpriced ${int} not null, primary key (tenant, hour, agent, root, what))`,
      `create index spend_of on spend (root)`,
      // Of what was spent before there were rows it is not known on what.
      `insert into spend
         select process.tenant, started_at - started_at % 3600000, agent, root, 'call:before',
           sum(usd), sum(tokens), sum(tool_calls), 0, 0
         from chain join process on process.key = chain.process
         where usd > 0 or tokens > 0 or tool_calls > 0
         group by process.tenant, started_at - started_at % 3600000, agent, root`,
      `create index process_of_agent on process (tenant, agent, ended_at) where ended_at is not null and key = root`,
      // A node that counts budgets by itself.
      `alter table node add column alone integer not null default 0`,
    ];
  },
};

/** The order in which records were written, where their rows do not have it already. */
const fourth: Step = {
  version: 4,
  statements: (dialect) =>
    dialect === "sqlite"
      ? []
      : [
          `alter table journal add column place bigint generated by default as identity`,
          `create index journal_place on journal using brin (place)`,
        ],
};

/**
 * Money as whole micro-dollars, and what vendors report beyond what was reserved. A chain's dollars of
 * before are kept as they were: the result of a run whose history went is signed with them. Chains are
 * rounded up and rows down; what the rows of a tree lack by that is one row more.
 */
const fifth: Step = {
  version: 5,
  statements: (dialect) => {
    const sqlite = dialect === "sqlite";
    const int = sqlite ? "integer" : "bigint";
    const whole = (number: string) =>
      sqlite ? `cast(${number} as integer)` : `cast(floor(${number}) as bigint)`;
    const columns = (table: string) =>
      ["micro_usd", "over_micro_usd", "over_tokens"].map(
        (name) => `alter table ${table} add column ${name} ${int} not null default 0`,
      );
    return [
      ...columns("chain"),
      `update chain set micro_usd = ${whole("usd * 1000000 + 0.9999")} where usd > 0`,
      ...columns("spend"),
      `update spend set micro_usd = ${whole("usd * 1000000 + 0.0001")} where usd > 0`,
      `alter table spend drop column usd`,
      `insert into spend (tenant, hour, agent, root, what, micro_usd, tokens, tool_calls, calls, unpriced)
         select process.tenant, started_at - started_at % 3600000, agent, process.key, 'call:rounding',
           chains.total - coalesce(rows_of.total, 0), 0, 0, 0, 0
         from process
           join (select root, sum(micro_usd) as total from chain join process on process.key = chain.process
             group by root) chains on chains.root = process.key
           left join (select root, sum(micro_usd) as total from spend group by root) rows_of
             on rows_of.root = process.key
         where chains.total > coalesce(rows_of.total, 0)`,
    ];
  },
};

/** Requests that wait for their answer, and messages that nobody will take. */
const sixth: Step = {
  version: 6,
  statements: (dialect) => {
    const sqlite = dialect === "sqlite";
    const int = sqlite ? "integer" : "bigint";
    const word = sqlite ? "text" : `text collate "C"`;
    return [
      `create table request (
         id ${word} primary key, tenant ${int} not null, process ${int} not null, target ${int} not null)`,
      `create index request_of on request (process)`,
      `create index request_to on request (target)`,
      // A tenant has so many slots; who comes to one that is taken replaces what is there.
      `create table dead_letter (
         tenant ${int} not null, slot ${int} not null, key ${int} not null, process ${int} not null, id text not null,
         sender text not null, type text not null, reply_to text, body text not null, label text not null,
         sent_at ${int} not null, died_at ${int} not null, reason text not null, primary key (tenant, slot))`,
      `create index dead_letter_of on dead_letter (process)`,
    ];
  },
};

/** What the operator said of a tenant's ceiling, and when it was removed. */
const seventh: Step = {
  version: 7,
  statements: (dialect) => [
    `alter table tenant add column ceiling text`,
    `alter table tenant add column removed_at ${dialect === "sqlite" ? "integer" : "bigint"}`,
  ],
};

/** Long texts that are stored in parts, which are blobs themselves: `body` then has their digests. */
const eighth: Step = {
  version: 8,
  statements: () => [`alter table blob add column in_parts integer not null default 0`],
};

/**
 * Which uses of a blob are by the state of a checkpoint alone, and of which record: such a use ends when the
 * state is dropped.
 */
const ninth: Step = {
  version: 9,
  statements: (dialect) => [
    `alter table blob_use add column state_seq ${dialect === "sqlite" ? "integer" : "bigint"}`,
  ],
};

/** A list of processes is read by an index that has it in its order, whatever it is a list of. */
const tenth: Step = {
  version: 10,
  statements: () => [
    `create index process_by_state on process (state, pid)`,
    `create index process_of_tenant on process (tenant, state, pid)`,
    `drop index process_living`,
    `create index process_children on process (parent, pid) where parent is not null`,
    `drop index process_parent`,
  ],
};

/** A commit as one call, where a statement is a trip to a server. */
const eleventh: Step = {
  version: 11,
  statements: (dialect) => (dialect === "sqlite" ? [] : [CREATE_COMMIT_FUNCTION]),
};

/** Runs whose rows were removed (removal.ts), and indexes that find those that may be. */
const twelfth: Step = {
  version: 12,
  statements: (dialect) => {
    const int = dialect === "sqlite" ? "integer" : "bigint";
    return [
      `create table removal (
         key ${int} primary key, tenant ${int} not null, node text not null,
         at ${int} not null, pids text not null, micro_usd ${int} not null, tokens ${int} not null,
         tool_calls ${int} not null, over_micro_usd ${int} not null, over_tokens ${int} not null, signature text)`,
      `create index process_result on process (ended_at) where compacted = 1`,
      `create index process_member on process (root) where key <> root`,
      `create index holding_giver on holding (given_by)`,
    ];
  },
};

export const steps: readonly Step[] = [
  first,
  second,
  third,
  fourth,
  fifth,
  sixth,
  seventh,
  eighth,
  ninth,
  tenth,
  eleventh,
  twelfth,
];

export const SCHEMA_VERSION = steps.at(-1)!.version;
