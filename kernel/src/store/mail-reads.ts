// Mail reads: mailboxes, requests that wait for an answer, and dead letters. The same words for both
// databases.

import { numberValue, orNull, textValue, type Row, type RunQuery } from "./row-values.ts";
import type { DeadLetterQuery, ListedLetter } from "./queries.ts";
import type { DeadLetterRow, MessageRow, ProcessKey, RequestRow, TenantKey } from "./rows.ts";
import type { SqlValue } from "./writes.ts";

export const messageRow = (row: Row): MessageRow => ({
  key: numberValue(row["key"]),
  tenant: numberValue(row["tenant"]),
  process: numberValue(row["process"]),
  id: textValue(row["id"]),
  from: textValue(row["sender"]),
  type: textValue(row["type"]),
  topic: orNull(row["topic"], String),
  replyTo: orNull(row["reply_to"], String),
  body: textValue(row["body"]),
  cause: textValue(row["cause"]),
  sentAt: numberValue(row["sent_at"]),
  label: textValue(row["label"]),
});

const requestRow = (row: Row): RequestRow => ({
  id: textValue(row["id"]),
  tenant: numberValue(row["tenant"]),
  process: numberValue(row["process"]),
  target: numberValue(row["target"]),
});

const deadLetterRow = (row: Row): DeadLetterRow => ({
  key: numberValue(row["key"]),
  tenant: numberValue(row["tenant"]),
  process: numberValue(row["process"]),
  id: textValue(row["id"]),
  from: textValue(row["sender"]),
  type: textValue(row["type"]),
  replyTo: orNull(row["reply_to"], String),
  body: textValue(row["body"]),
  label: textValue(row["label"]),
  sentAt: numberValue(row["sent_at"]),
  diedAt: numberValue(row["died_at"]),
  reason: textValue(row["reason"]),
});

export const mailReads = (query: RunQuery) => ({
  async messages(key: ProcessKey): Promise<MessageRow[]> {
    return (await query("select * from message where process = ? order by key", [key])).map(
      messageRow,
    );
  },

  async hasMessage(key: ProcessKey, id: string): Promise<boolean> {
    const rows = await query("select 1 as one from message where process = ? and id = ? limit 1", [
      key,
      id,
    ]);
    return rows.length > 0;
  },

  async countMessages(key: ProcessKey): Promise<number> {
    const [row] = await query(
      "select count(*) as count from message where process = ? and type <> 'response'",
      [key],
    );
    return numberValue(row!["count"]);
  },

  async subscribers(tenant: TenantKey, topic: string): Promise<ProcessKey[]> {
    const rows = await query(
      `select process from subscription join process on process.key = subscription.process
         where subscription.tenant = ? and topic = ? and ended_at is null order by process.key`,
      [tenant, topic],
    );
    return rows.map((row) => numberValue(row["process"]));
  },

  async request(id: string): Promise<RequestRow | undefined> {
    const [row] = await query("select * from request where id = ?", [id]);
    return row && requestRow(row);
  },

  async requestsTo(target: ProcessKey): Promise<RequestRow[]> {
    return (await query("select * from request where target = ? order by id", [target])).map(
      requestRow,
    );
  },

  async deadLetters(of: DeadLetterQuery): Promise<ListedLetter[]> {
    const tests = ["died_at >= ?"];
    const values: SqlValue[] = [of.sinceMs];
    const test = (sql: string, value: SqlValue | undefined) => {
      if (value === undefined) return;
      tests.push(sql);
      values.push(value);
    };
    test("dead_letter.tenant = ?", of.tenant);
    test("dead_letter.process = ?", of.process);
    test("dead_letter.key < ?", of.before);
    const rows = await query(
      `select dead_letter.*, process.pid as addressee from dead_letter
           left join process on process.key = dead_letter.process
         where ${tests.join(" and ")} order by dead_letter.key desc limit ?`,
      [...values, of.limit],
    );
    return rows.map((row) => ({ ...deadLetterRow(row), to: orNull(row["addressee"], String) }));
  },

  async deadLetterKey(id: string): Promise<number | undefined> {
    const [row] = await query("select max(key) as key from dead_letter where id = ?", [id]);
    return orNull(row?.["key"], Number) ?? undefined;
  },
});
