// Post reads: the outbox and the inbox, the same words for both databases. Their rows decide nothing and are in no
// chain: each statement is a transaction of its own, apart from the commits of runs.
//
// POST-READS-1  A row is added once, whoever adds it.
// POST-READS-2  A row is leased to one node: the condition is looked at again on the row as it is when it is locked.
// POST-READS-3  A person's answer by a link is claimed once for each question.

import { numberValue, orNull, textValue, type Row, type RunQuery } from "./row-values.ts";
import type {
  EndedRootRow,
  PostQuery,
  PostReads,
  PostRow,
  PostSum,
  UsedLinkRow,
} from "./post-rows.ts";
import type { SqlValue } from "./writes.ts";

const postRow = (row: Row): PostRow => ({
  id: textValue(row["id"]),
  tenant: numberValue(row["tenant"]),
  box: textValue(row["box"]) as PostRow["box"],
  target: textValue(row["target"]),
  kind: textValue(row["kind"]),
  thread: textValue(row["thread"]),
  subject: textValue(row["subject"]),
  body: textValue(row["body"]),
  state: textValue(row["state"]) as PostRow["state"],
  attempts: numberValue(row["attempts"]),
  dueAt: numberValue(row["due_at"]),
  leaseUntil: numberValue(row["lease_until"]),
  pid: orNull(row["pid"], String),
  error: orNull(row["error"], String),
  createdAt: numberValue(row["created_at"]),
  settledAt: orNull(row["settled_at"], Number),
});

const IS_FREE = "state = 'waiting' and due_at <= ? and lease_until <= ?";

/** POST-READS-2. */
const TAKE = `
  update post set lease_until = ?, attempts = attempts + 1
    where id in (select id from post where box = ? and ${IS_FREE} order by due_at, id limit ?) and ${IS_FREE}
    returning *`;

export const postReads = (query: RunQuery): PostReads => ({
  async addPost(p) {
    const rows = await query(
      `insert into post (id, tenant, box, target, kind, thread, subject, body, state, attempts, due_at, lease_until,
           pid, error, created_at, settled_at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing returning id`,
      [
        p.id,
        p.tenant,
        p.box,
        p.target,
        p.kind,
        p.thread,
        p.subject,
        p.body,
        p.state,
        p.attempts,
        p.dueAt,
        p.leaseUntil,
        p.pid,
        p.error,
        p.createdAt,
        p.settledAt,
      ],
    );
    return rows.length > 0; // POST-READS-1
  },
  async takePosts({ box, nowMs, leaseUntil, limit }) {
    const rows = await query(TAKE, [leaseUntil, box, nowMs, nowMs, limit, nowMs, nowMs]);
    return rows.map(postRow).sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1));
  },
  async changePost(id, change, from) {
    const { state, dueAt, leaseUntil = 0, pid, body, error = null, settledAt, attempts } = change;
    const rows = await query(
      `update post set state = coalesce(?, state), due_at = coalesce(?, due_at), lease_until = ?, pid = coalesce(?, pid),
           body = coalesce(?, body), error = ?, settled_at = coalesce(?, settled_at), attempts = coalesce(?, attempts)
         where id = ? and state = coalesce(?, state) returning id`,
      [
        state ?? null,
        dueAt ?? null,
        leaseUntil,
        pid ?? null,
        body ?? null,
        error,
        settledAt ?? null,
        attempts ?? null,
        id,
        from ?? null,
      ],
    );
    return rows.length > 0;
  },
  async post(id) {
    const [row] = await query("select * from post where id = ?", [id]);
    return row && postRow(row);
  },
  async posts(of) {
    const { wheres, values } = conditionsOf(of);
    const where = wheres.length === 0 ? "" : `where ${wheres.join(" and ")}`;
    const sql = `select * from post ${where} order by created_at desc, id desc limit ?`;
    return (await query(sql, [...values, of.limit])).map(postRow);
  },
  async postBefore({ tenant, box, target, thread, createdAt, id }) {
    const [row] = await query(
      `select id from post where tenant = ? and box = ? and target = ? and thread = ? and state = 'waiting'
          and (created_at < ? or (created_at = ? and id < ?)) limit 1`,
      [tenant, box, target, thread, createdAt, createdAt, id],
    );
    return row && textValue(row["id"]);
  },
  async postSums() {
    const rows = await query(
      "select tenant, box, target, state, count(*) as posts from post group by tenant, box, target, state",
      [],
    );
    return rows.map((row): PostSum => ({
      tenant: numberValue(row["tenant"]),
      box: textValue(row["box"]) as PostRow["box"],
      target: textValue(row["target"]),
      state: textValue(row["state"]) as PostRow["state"],
      count: numberValue(row["posts"]),
    }));
  },
  async countPosts(tenant, target, since) {
    const [row] = await query(
      `select count(*) as posts from post
         where tenant = ? and box = 'out' and target = ? and created_at >= ? and state <> 'held'`,
      [tenant, target, since],
    );
    return numberValue(row!["posts"]);
  },
  async prunePosts(before) {
    await query("delete from post where settled_at is not null and settled_at < ?", [before]);
    await query("delete from used_link where at < ?", [before]);
  },
  async useLink({ question, person, tenant, at }) {
    const rows = await query(
      "insert into used_link (question, person, tenant, at) values (?, ?, ?, ?) on conflict do nothing returning at",
      [question, person, tenant, at],
    );
    return rows.length > 0; // POST-READS-3
  },
  async usedLink(question, person) {
    const sql = "select * from used_link where question = ? and person = ?";
    const [row] = await query(sql, [question, person]);
    return (
      row &&
      ({
        question,
        person,
        tenant: numberValue(row["tenant"]),
        at: numberValue(row["at"]),
      } satisfies UsedLinkRow)
    );
  },
  async freeLink(question, person) {
    await query("delete from used_link where question = ? and person = ?", [question, person]);
  },
  async postMark(tenant, target) {
    const sql = "select at from post_mark where tenant = ? and target = ?";
    const [row] = await query(sql, [tenant, target]);
    return row && numberValue(row["at"]);
  },
  async setPostMark(tenant, target, at) {
    await query(
      `insert into post_mark (tenant, target, at) values (?, ?, ?)
         on conflict (tenant, target) do update set at = excluded.at where post_mark.at < excluded.at`,
      [tenant, target, at],
    );
  },
  async endedRoots(since, after, limit) {
    const rows = await query(
      `select key, pid, tenant, agent, state, ended_at, spec, error from process
         where ended_at is not null and compacted = 0 and parent is null
           and (ended_at > ? or (ended_at = ? and key > ?)) and ended_at >= ?
         order by ended_at, key limit ?`,
      [since, since, after, since, limit],
    );
    return rows.map((row): EndedRootRow => ({
      key: numberValue(row["key"]),
      pid: textValue(row["pid"]),
      tenant: numberValue(row["tenant"]),
      agent: textValue(row["agent"]),
      state: textValue(row["state"]),
      endedAt: numberValue(row["ended_at"]),
      program: fieldOf(row["spec"], "program") ?? "",
      code: fieldOf(row["error"], "code"),
    }));
  },
});

/** A text in a JSON object. */
function fieldOf(json: SqlValue | undefined, name: string): string | null {
  if (typeof json !== "string") return null;
  const value = (JSON.parse(json) as Record<string, unknown> | null)?.[name];
  return typeof value === "string" ? value : null;
}

function conditionsOf({ tenant, box, target, thread, states, before }: PostQuery) {
  const wheres: string[] = [];
  const values: SqlValue[] = [];
  const and = (sql: string, ...more: readonly SqlValue[]) => {
    wheres.push(sql);
    values.push(...more);
  };
  if (tenant !== undefined) and("tenant = ?", tenant);
  if (box !== undefined) and("box = ?", box);
  if (target !== undefined) and("target = ?", target);
  if (thread !== undefined) and("thread = ?", thread);
  if (states !== undefined) and(`state in (${states.map(() => "?").join(", ")})`, ...states);
  if (before !== undefined)
    and(
      "(created_at < ? or (created_at = ? and id < ?))",
      before.createdAt,
      before.createdAt,
      before.id,
    );
  return { wheres, values };
}
