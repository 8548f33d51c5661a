// Mail reads: mailboxes, requests that wait for an answer, and dead letters. The same words for both
// databases.

import { number, orNull, text, type Row } from "./authority-reads.ts";
import type { DeadLetterQuery } from "./contract.ts";
import type { DeadLetterRow, MessageRow, ProcessKey, RequestRow, TenantKey } from "./rows.ts";
import { SpendReads } from "./spend.ts";
import type { Value } from "./writes.ts";

const messageRow = (row: Row): MessageRow => ({
  key: number(row["key"]),
  tenant: number(row["tenant"]),
  process: number(row["process"]),
  id: text(row["id"]),
  from: text(row["sender"]),
  type: text(row["type"]),
  topic: orNull(row["topic"], String),
  replyTo: orNull(row["reply_to"], String),
  body: text(row["body"]),
  cause: text(row["cause"]),
  sentAt: number(row["sent_at"]),
  label: text(row["label"]),
});

const requestRow = (row: Row): RequestRow => ({
  id: text(row["id"]),
  tenant: number(row["tenant"]),
  process: number(row["process"]),
  target: number(row["target"]),
});

const deadLetterRow = (row: Row): DeadLetterRow => ({
  key: number(row["key"]),
  tenant: number(row["tenant"]),
  process: number(row["process"]),
  id: text(row["id"]),
  from: text(row["sender"]),
  type: text(row["type"]),
  replyTo: orNull(row["reply_to"], String),
  body: text(row["body"]),
  label: text(row["label"]),
  sentAt: number(row["sent_at"]),
  diedAt: number(row["died_at"]),
  reason: text(row["reason"]),
});

export abstract class MailReads extends SpendReads {
  async messages(key: ProcessKey): Promise<MessageRow[]> {
    return (await this.query("select * from message where process = ? order by key", [key])).map(
      messageRow,
    );
  }

  async countMessages(key: ProcessKey): Promise<number> {
    const [row] = await this.query(
      "select count(*) as count from message where process = ? and type <> 'response'",
      [key],
    );
    return number(row!["count"]);
  }

  async subscribers(tenant: TenantKey, topic: string): Promise<ProcessKey[]> {
    const rows = await this.query(
      `select process from subscription join process on process.key = subscription.process
         where subscription.tenant = ? and topic = ? and ended_at is null order by process.key`,
      [tenant, topic],
    );
    return rows.map((row) => number(row["process"]));
  }

  async request(id: string): Promise<RequestRow | undefined> {
    const [row] = await this.query("select * from request where id = ?", [id]);
    return row && requestRow(row);
  }

  async requestsTo(target: ProcessKey): Promise<RequestRow[]> {
    return (await this.query("select * from request where target = ? order by id", [target])).map(
      requestRow,
    );
  }

  async deadLetters(query: DeadLetterQuery): Promise<DeadLetterRow[]> {
    const tests = ["died_at >= ?"];
    const values: Value[] = [query.sinceMs];
    if (query.tenant !== undefined) {
      tests.push("tenant = ?");
      values.push(query.tenant);
    }
    if (query.process !== undefined) {
      tests.push("process = ?");
      values.push(query.process);
    }
    const rows = await this.query(
      `select * from dead_letter where ${tests.join(" and ")} order by key desc limit ?`,
      [...values, query.limit],
    );
    return rows.map(deadLetterRow);
  }
}
