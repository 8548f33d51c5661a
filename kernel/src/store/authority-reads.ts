// Reads about power and people: questions, votes, what processes hold, labels of resources, secrets,
// the ledger. The same words for both databases.

import type { Json } from "@aos/protocol";
import type {
  BlockSpec,
  HoldingRow,
  LedgerRow,
  ProcessKey,
  QuestionRow,
  SecretRow,
  TenantKey,
  VoteRow,
} from "./rows.ts";
import type { Value } from "./writes.ts";

export type Row = Record<string, Value>;

export const text = (value: Value | undefined) => value as string;
export const number = (value: Value | undefined) => Number(value);
export const orNull = <T>(value: Value | undefined, read: (value: Value) => T): T | null =>
  value === null || value === undefined ? null : read(value);

const questionRow = (row: Row): QuestionRow => ({
  id: text(row["id"]),
  tenant: number(row["tenant"]),
  process: number(row["process"]),
  pid: text(row["pid"]),
  n: number(row["n"]),
  kind: text(row["kind"]) as QuestionRow["kind"],
  question: text(row["question"]),
  choices: JSON.parse(text(row["choices"])) as string[],
  digest: text(row["digest"]),
  askedAt: number(row["asked_at"]),
  expiresAt: orNull(row["expires_at"], Number),
  answer: orNull(row["answer"], String),
  reason: orNull(row["reason"], String),
  answeredBy: orNull(row["answered_by"], String),
  answeredAt: orNull(row["answered_at"], Number),
  channel: orNull(row["channel"], String),
  quorum: number(row["quorum"]),
  batch: orNull(row["batch"], String),
  joined: number(row["joined"]) === 1,
  about: orNull(row["about"], (about) => JSON.parse(about as string) as Json),
});

const voteRow = (row: Row): VoteRow => ({
  question: text(row["question"]),
  tenant: number(row["tenant"]),
  process: number(row["process"]),
  person: text(row["person"]),
  choice: text(row["choice"]),
  reason: orNull(row["reason"], String),
  at: number(row["at"]),
  signature: orNull(row["signature"], String),
});

const holdingRow = (row: Row): HoldingRow => ({
  handle: text(row["handle"]),
  tenant: number(row["tenant"]),
  process: number(row["process"]),
  agent: text(row["agent"]),
  state: text(row["state"]) as HoldingRow["state"],
  blocks: JSON.parse(text(row["blocks"])) as BlockSpec[],
  givenBy: text(row["given_by"]),
  givenAt: number(row["given_at"]),
  expiresAt: orNull(row["expires_at"], Number),
  reason: orNull(row["reason"], String),
});

const ledgerRow = (row: Row): LedgerRow => ({
  node: text(row["node"]),
  seq: number(row["seq"]),
  tenant: number(row["tenant"]),
  at: number(row["at"]),
  entry: text(row["entry"]),
  hash: row["hash"] as Uint8Array,
});

export abstract class AuthorityReads {
  protected abstract query(sql: string, values: readonly Value[]): Promise<Row[]>;

  async question(id: string): Promise<QuestionRow | undefined> {
    const [row] = await this.query("select * from question where id = ?", [id]);
    return row && questionRow(row);
  }

  async questionsOf(key: ProcessKey): Promise<QuestionRow[]> {
    return (await this.query("select * from question where process = ? order by id", [key])).map(
      questionRow,
    );
  }

  async openQuestions(): Promise<QuestionRow[]> {
    const rows = await this.query(
      `select question.* from question join process on process.key = question.process
         where answered_at is null and ended_at is null order by id`,
      [],
    );
    return rows.map(questionRow);
  }

  async openInBatch(batch: string): Promise<QuestionRow[]> {
    const rows = await this.query(
      `select question.* from question join process on process.key = question.process
         where batch = ? and answered_at is null and ended_at is null order by id`,
      [batch],
    );
    return rows.map(questionRow);
  }

  async settledQuestions(): Promise<QuestionRow[]> {
    return (
      await this.query("select * from question where answered_at is not null order by id", [])
    ).map(questionRow);
  }

  /** What a crash left in doubt is nobody's asking. */
  async countQuestions(
    tenant: TenantKey,
    sinceMs: number,
    inTreeOf?: ProcessKey,
  ): Promise<{ count: number; firstAt: number | null }> {
    const root = (key: string) => `(select root from process where process.key = ${key})`;
    const inTree = inTreeOf === undefined ? "" : `and ${root("question.process")} = ${root("?")}`;
    const [row] = await this.query(
      `select count(*) as count, min(asked_at) as first_at from question
         where tenant = ? and asked_at > ? and joined = 0 and kind <> 'doubt' ${inTree}`,
      inTreeOf === undefined ? [tenant, sinceMs] : [tenant, sinceMs, inTreeOf],
    );
    return { count: number(row!["count"]), firstAt: orNull(row!["first_at"], Number) };
  }

  async votes(question: string): Promise<VoteRow[]> {
    const rows = await this.query("select * from vote where question = ? order by at, person", [
      question,
    ]);
    return rows.map(voteRow);
  }

  async allVotes(): Promise<VoteRow[]> {
    return (await this.query("select * from vote order by question, at, person", [])).map(voteRow);
  }

  async holding(handle: string): Promise<HoldingRow | undefined> {
    const [row] = await this.query("select * from holding where handle = ?", [handle]);
    return row && holdingRow(row);
  }

  async holdingsOf(process: ProcessKey): Promise<HoldingRow[]> {
    const rows = await this.query(
      "select * from holding where process = ? order by given_at, handle",
      [process],
    );
    return rows.map(holdingRow);
  }

  async holdingsBy(id: string): Promise<HoldingRow[]> {
    if (!/^[A-Za-z0-9_-]+$/.test(id)) return [];
    const rows = await this.query(
      "select * from holding where state <> 'revoked' and (handle = ? or blocks like ?) order by handle",
      [id, `%"id":"${id}"%`],
    );
    return rows.map(holdingRow);
  }

  async livingElsewhere(tenant: TenantKey, agent: string, node: string): Promise<ProcessKey[]> {
    const rows = await this.query(
      `select process.key from process join chain on chain.process = process.key
         where process.ended_at is null and process.tenant = ? and process.agent = ? and chain.node <> ?
         order by process.key`,
      [tenant, agent, node],
    );
    return rows.map((row) => number(row["key"]));
  }

  async standing(tenant: TenantKey, agent?: string): Promise<HoldingRow[]> {
    const rows = await this.query(
      `select * from holding where process = 0 and tenant = ? ${agent === undefined ? "" : "and agent = ?"}
         order by given_at, handle`,
      agent === undefined ? [tenant] : [tenant, agent],
    );
    return rows.map(holdingRow);
  }

  async revokedIds(): Promise<string[]> {
    return (await this.query("select id from revoked", [])).map((row) => text(row["id"]));
  }

  async resourceLabel(tenant: TenantKey, resource: string): Promise<string | undefined> {
    const [row] = await this.query(
      "select label from resource_label where tenant = ? and resource = ?",
      [tenant, resource],
    );
    return row && text(row["label"]);
  }

  async resourceLabelsBelow(tenant: TenantKey, prefix: string): Promise<string[]> {
    const rows = await this.query(
      "select distinct label from resource_label where tenant = ? and resource >= ? and resource < ?",
      [tenant, prefix, `${prefix}\u{10ffff}`],
    );
    return rows.map((row) => text(row["label"]));
  }

  /** Each with its resource. */
  async resourceMarksBelow(
    tenant: TenantKey,
    prefix: string,
  ): Promise<{ resource: string; label: string }[]> {
    const rows = await this.query(
      "select resource, label from resource_label where tenant = ? and resource >= ? and resource < ?",
      [tenant, prefix, `${prefix}\u{10ffff}`],
    );
    return rows.map((row) => ({ resource: text(row["resource"]), label: text(row["label"]) }));
  }

  async blocksWith(prefix: string): Promise<{ id: string; state: string }[]> {
    const rows = await this.query("select id, state from block where id >= ? and id < ?", [
      prefix,
      `${prefix}\u{10ffff}`,
    ]);
    return rows.map((row) => ({ id: text(row["id"]), state: text(row["state"]) }));
  }

  async secrets(): Promise<SecretRow[]> {
    const rows = await this.query("select * from secret order by tenant, name", []);
    return rows.map((row) => ({
      tenant: number(row["tenant"]),
      name: text(row["name"]),
      sealed: text(row["sealed"]),
      updatedAt: number(row["updated_at"]),
    }));
  }

  async ledgerHas(what: string): Promise<boolean> {
    const rows = await this.query("select 1 as one from ledger where entry like ? limit 1", [
      `%"what":"${what}"%`,
    ]);
    return rows.length > 0;
  }

  async ledgerOf(what: string): Promise<LedgerRow[]> {
    const rows = await this.query(
      "select * from ledger where entry like ? order by at, node, seq",
      [`%"what":"${what}"%`],
    );
    return rows.map(ledgerRow).filter(({ entry }) => {
      return (JSON.parse(entry) as { what?: string }).what === what; // not in somebody's words
    });
  }

  async ledger(): Promise<LedgerRow[]> {
    return (await this.query("select * from ledger order by node, seq", [])).map(ledgerRow);
  }

  async ledgerTail(limit: number): Promise<LedgerRow[]> {
    const rows = await this.query(
      "select * from ledger order by at desc, node desc, seq desc limit ?",
      [limit],
    );
    return rows.map(ledgerRow);
  }

  async ledgerEnd(node: string): Promise<LedgerRow | undefined> {
    const [row] = await this.query(
      "select * from ledger where node = ? order by seq desc limit 1",
      [node],
    );
    return row && ledgerRow(row);
  }

  async ledgersGrownSince(ms: number): Promise<LedgerRow[]> {
    const rows = await this.query(
      `select * from ledger where at >= ? and not exists (
         select 1 from ledger later where later.node = ledger.node and later.seq > ledger.seq) order by node`,
      [ms],
    );
    return rows.map(ledgerRow);
  }
}
