// Mail reads: mailboxes, requests that wait for an answer, and dead letters. The same words for both
// databases.

import { numberValue, orNull, textValue, type Row, type RunQuery } from "./row-values.ts";
import type { DeadLetterQuery, ListedLetter, MailboxSum, TopicSum } from "./mail-reports.ts";
import type { Subscriber, TopicReaders } from "./queries.ts";
import type {
  DeadLetterRow,
  DurableRow,
  MessageRow,
  ProcessKey,
  RequestRow,
  TenantKey,
} from "./rows.ts";
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
  ...(row["lane"] === null ? {} : { lane: orNull(row["lane"], Number) }),
  ...(row["expires_at"] === null ? {} : { expiresAt: orNull(row["expires_at"], Number) }),
  ...(row["stream"] === null ? {} : { stream: orNull(row["stream"], String) }),
  ...(row["subscription"] === null ? {} : { subscription: orNull(row["subscription"], Number) }),
});

const durableRow = (row: Row): DurableRow => ({
  key: numberValue(row["key"]),
  tenant: numberValue(row["tenant"]),
  agent: textValue(row["agent"]),
  name: textValue(row["name"]),
  topic: textValue(row["topic"]),
  isPattern: numberValue(row["is_pattern"]) === 1,
  process: numberValue(row["process"]),
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
  topic: orNull(row["topic"], String),
  replyTo: orNull(row["reply_to"], String),
  body: textValue(row["body"]),
  isCut: numberValue(row["cut"]) === 1,
  cause: textValue(row["cause"]),
  lane: orNull(row["lane"], Number),
  label: textValue(row["label"]),
  sentAt: numberValue(row["sent_at"]),
  diedAt: numberValue(row["died_at"]),
  reason: textValue(row["reason"]),
});

const subscriber = (row: Row): Subscriber => ({
  process: numberValue(row["process"]),
  topic: textValue(row["topic"]),
  isPattern: numberValue(row["is_pattern"]) === 1,
  durable: orNull(row["durable"], Number),
  isLiving: numberValue(row["living"]) === 1,
});

const mailboxSum = (row: Row): MailboxSum => ({
  of: numberValue(row["process"]),
  depth: numberValue(row["depth"]),
  oldestAt: numberValue(row["oldest"]),
});

export const mailReads = (query: RunQuery) => ({
  /** As they are received: by lane, of which 2 is the usual one (MAILBOX-5). */
  async messages(key: ProcessKey): Promise<MessageRow[]> {
    const rows = await query(
      "select * from message where process = ? order by coalesce(lane, 2), key",
      [key],
    );
    return rows.map(messageRow);
  },

  async hasMessage(key: ProcessKey, id: string): Promise<boolean> {
    const rows = await query("select 1 as one from message where process = ? and id = ? limit 1", [
      key,
      id,
    ]);
    return rows.length > 0;
  },

  async countMessages(key: ProcessKey, nowMs: number): Promise<number> {
    const [row] = await query(
      `select count(*) as count from message
         where process = ? and type <> 'response' and (expires_at is null or expires_at > ?)`,
      [key, nowMs],
    );
    return numberValue(row!["count"]);
  },

  async subscribers(tenant: TenantKey, topic: string): Promise<TopicReaders> {
    const living = (where: string) => `
      select subscription.process, topic, is_pattern, cast(null as bigint) as durable, 1 as living
        from subscription join process on process.key = subscription.process
        where subscription.tenant = ? and ${where} and ended_at is null`;
    const durable = (where: string) => `
      select durable_subscription.process, topic, is_pattern, durable_subscription.key as durable,
          case when process.key is not null and process.ended_at is null then 1 else 0 end as living
        from durable_subscription left join process on process.key = durable_subscription.process
        where durable_subscription.tenant = ? and ${where}`;
    const rows = await query(
      `${living("topic = ?")} union all ${living("is_pattern = 1")}
         union all ${durable("topic = ?")} union all ${durable("is_pattern = 1")}
         union all select 0, schema, 0, cast(null as bigint), 0 from topic where tenant = ? and name = ? order by 1`,
      [tenant, topic, tenant, tenant, topic, tenant, tenant, topic],
    );
    const schema = rows.find((row) => numberValue(row["process"]) === 0);
    return {
      schema: orNull(schema?.["topic"], String),
      subscribers: rows.filter((row) => row !== schema).map(subscriber),
    };
  },

  async durableSubscription(
    tenant: TenantKey,
    agent: string,
    name: string,
  ): Promise<DurableRow | undefined> {
    const [row] = await query(
      "select * from durable_subscription where tenant = ? and agent = ? and name = ?",
      [tenant, agent, name],
    );
    return row && durableRow(row);
  },

  async durableByKey(key: number): Promise<DurableRow | undefined> {
    const [row] = await query("select * from durable_subscription where key = ?", [key]);
    return row && durableRow(row);
  },

  /** What is subscribed to or has a schema; of all tenants where none is named. */
  async topics(tenant?: TenantKey): Promise<TopicSum[]> {
    const of = (column: string) => (tenant === undefined ? "" : `and ${column} = ?`);
    const values = tenant === undefined ? [] : [tenant];
    const rows = await query(
      `select tenant, topic, max(schema) as schema, sum(living) as subscribers, sum(durables) as durables,
           sum(waiting) as waiting from (
         select subscription.tenant, topic, null as schema, 1 as living, 0 as durables, 0 as waiting
           from subscription join process on process.key = subscription.process where ended_at is null ${of("subscription.tenant")}
         union all
         select tenant, topic, null, 0, 1, (select count(*) from message where subscription = durable_subscription.key)
           from durable_subscription where 1 = 1 ${of("tenant")}
         union all select tenant, name, schema, 0, 0, 0 from topic where 1 = 1 ${of("tenant")}) known
         group by tenant, topic order by tenant, topic`,
      [...values, ...values, ...values],
    );
    return rows.map((row) => ({
      tenant: numberValue(row["tenant"]),
      topic: textValue(row["topic"]),
      schema: orNull(row["schema"], String),
      subscribers: numberValue(row["subscribers"]),
      durables: numberValue(row["durables"]),
      waiting: numberValue(row["waiting"]),
    }));
  },

  /** How many wait in these mailboxes, and since when; of empty ones nothing. */
  async mailboxes(keys: readonly ProcessKey[]): Promise<MailboxSum[]> {
    if (keys.length === 0) return [];
    const wanted = new Set(keys);
    const rows = await query(
      `select process, count(*) as depth, min(sent_at) as oldest from message
         where process between ? and ? and type <> 'response' group by process`,
      [keys.reduce((a, b) => Math.min(a, b)), keys.reduce((a, b) => Math.max(a, b))],
    );
    return rows.map(mailboxSum).filter(({ of }) => wanted.has(of));
  },

  /** The same of each tenant. */
  async mailOfTenants(): Promise<MailboxSum[]> {
    const rows = await query(
      "select tenant as process, count(*) as depth, min(sent_at) as oldest from message group by tenant",
      [],
    );
    return rows.map(mailboxSum);
  },

  /** Those whose time is over, of a node's processes and of backlogs: the oldest first. */
  async expiredMessages(node: string, nowMs: number, limit: number): Promise<MessageRow[]> {
    const rows = await query(
      `select message.* from message left join chain on chain.process = message.process
         where expires_at is not null and expires_at <= ? and (message.process < 0 or chain.node = ?)
         order by expires_at limit ?`,
      [nowMs, node, limit],
    );
    return rows.map(messageRow);
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

  async strandedMessages(limit: number): Promise<MessageRow[]> {
    const rows = await query(
      `select message.* from message join process on process.key = message.process
         where ended_at is not null and subscription is null order by message.key limit ?`,
      [limit],
    );
    return rows.map(messageRow);
  },

  async deadLetter(id: string, tenant?: TenantKey): Promise<ListedLetter | undefined> {
    const rows = await query(
      `select dead_letter.*, process.pid as addressee from dead_letter
           left join process on process.key = dead_letter.process
         where dead_letter.id = ? ${tenant === undefined ? "" : "and dead_letter.tenant = ?"}
         order by dead_letter.key desc limit 1`,
      tenant === undefined ? [id] : [id, tenant],
    );
    const row = rows[0];
    return row && { ...deadLetterRow(row), to: orNull(row["addressee"], String) };
  },

  async deadLetterKey(id: string): Promise<number | undefined> {
    const [row] = await query("select max(key) as key from dead_letter where id = ?", [id]);
    return orNull(row?.["key"], Number) ?? undefined;
  },
});
