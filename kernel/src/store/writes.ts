// Writes: each kind of write as one statement, the same text for both databases.
//
// WRITES-1  Numbers are whole, but for money: times, counts and keys are `bigint` in PostgreSQL, which
//     refuses a fraction, where SQLite would keep it.

import type { ProcessPatch, Write } from "./contract.ts";
import { putBlob } from "./blob-writes.ts";
import { mailStatements } from "./mail-writes.ts";
import { fleetChangeOf } from "./fleet-rows.ts";
import { fleetStatements } from "./fleet-writes.ts";
import { changeOf } from "./schedule-rows.ts";
import { scheduleStatements } from "./schedule-writes.ts";

export type SqlValue = string | number | null | Uint8Array;
export type Statement = readonly [sql: string, values: readonly SqlValue[]];

const PATCH_COLUMNS: Record<keyof ProcessPatch, string> = {
  state: "state",
  waitingOn: "waiting_on",
  wakeAt: "wake_at",
  base: "base",
  lane: "lane",
  begunAt: "begun_at",
  label: "label",
  exitCode: "exit_code",
  endedAt: "ended_at",
  output: "output",
  error: "error",
};

const ZERO_HASH = new Uint8Array(32);

/** WRITES-1. A fraction of a millisecond or of a token counts for nothing, and no time is past the last one. */
export const wholeNumber = <T extends SqlValue>(value: T): T =>
  typeof value === "number" && !Number.isSafeInteger(value)
    ? (Math.max(-MOST, Math.min(MOST, Math.floor(value))) as T)
    : value;
const MOST = Number.MAX_SAFE_INTEGER;

/**
 * The statements of a write. `sharedPos` is where a store finds the history of a fork: for SQLite the
 * row it continues from, for PostgreSQL the first seq that is not shared.
 */
export function statementsOf(write: Write, sharedPos = 0): readonly Statement[] {
  return rowStatements(write, sharedPos).map(([sql, values]) => [sql, values.map(wholeNumber)]);
}

function rowStatements(write: Write, sharedPos: number): readonly Statement[] {
  switch (write.op) {
    case "process.add": {
      const { row, node, shared } = write;
      return [
        [
          `insert into process (key, tenant, pid, agent, parent, parent_pid, root, depth, state, waiting_on, wake_at,
             started_at, shared_from, lane, name, spec)
             values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          [
            row.key,
            row.tenant,
            row.pid,
            row.agent,
            row.parent,
            row.parentPid,
            row.root,
            row.depth,
            row.state,
            row.waitingOn,
            row.wakeAt,
            row.startedAt,
            shared?.from ?? null,
            row.lane ?? null,
            row.spec.name ?? null,
            JSON.stringify(row.spec),
          ],
        ],
        [
          `insert into chain (process, tenant, node, epoch, seq, pos, hash, usd, tokens, tool_calls, bytes, grown_at)
             values (?, ?, ?, 1, ?, ?, ?, 0, 0, 0, 0, 0)`,
          [row.key, row.tenant, node, shared?.at ?? -1, sharedPos, shared?.hash ?? ZERO_HASH],
        ],
      ];
    }
    case "process.patch": {
      const names = Object.keys(write.patch) as (keyof ProcessPatch)[];
      if (names.length === 0) return [];
      const sets = names.map((name) => `${PATCH_COLUMNS[name]} = ?`).join(", ");
      const values = names.map((name) => write.patch[name] ?? null);
      return [[`update process set ${sets} where key = ?`, [...values, write.key]]];
    }
    case "message.add":
    case "message.take":
    case "request.open":
    case "request.close":
    case "request.drop":
    case "letter.bury":
    case "letter.redrive":
    case "durable.put":
    case "topic.put":
      return mailStatements(write);
    case "schedule":
      return scheduleStatements(changeOf(write)!);
    case "fleet":
      return fleetStatements(fleetChangeOf(write)!);
    case "subscription.add":
      return [
        [
          "insert into subscription (tenant, topic, process, is_pattern) values (?, ?, ?, ?) on conflict do nothing",
          [write.tenant, write.topic, write.process, write.isPattern === true ? 1 : 0],
        ],
      ];
    case "signal.add": {
      const s = write.row;
      return [
        [
          "insert into signal values (?, ?, ?, ?, ?, ?)",
          [s.key, s.tenant, s.process, s.signal, s.cause, s.sentAt],
        ],
      ];
    }
    case "signal.take":
      return [["delete from signal where key = ?", [write.key]]];
    case "file.put": {
      const f = write.row;
      return [
        [
          `insert into file values (?, ?, ?, ?, ?, ?, ?) on conflict (tenant, space, path) do update
             set data = excluded.data, writer = excluded.writer, label = excluded.label, written_at = excluded.written_at`,
          [f.tenant, f.space, f.path, f.data, f.writer, f.label, f.writtenAt],
        ],
      ];
    }
    case "file.remove":
      return [
        [
          "delete from file where tenant = ? and space = ? and path = ?",
          [write.tenant, write.space, write.path],
        ],
      ];
    case "embedding.put": {
      const { tenant, model, digest, vector } = write.row;
      return [
        [
          "insert into embedding values (?, ?, ?, ?) on conflict (tenant, model, digest) do nothing",
          [tenant, model, digest, vector],
        ],
      ];
    }
    case "question.put": {
      const q = write.row;
      return [
        [
          `insert into question values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             on conflict do nothing`,
          [
            q.id,
            q.tenant,
            q.process,
            q.pid,
            q.n,
            q.kind,
            q.question,
            JSON.stringify(q.choices),
            q.digest,
            q.askedAt,
            q.expiresAt,
            q.answer,
            q.reason,
            q.answeredBy,
            q.answeredAt,
            q.channel,
            q.quorum,
            q.batch,
            q.about === null ? null : JSON.stringify(q.about),
            q.joined ? 1 : 0,
          ],
        ],
      ];
    }
    case "question.answer":
      return [
        [
          `update question set answer = ?, reason = ?, answered_by = ?, answered_at = ?
             where id = ? and answered_at is null`,
          [write.answer, write.reason, write.by, write.at, write.id],
        ],
      ];
    case "vote.add": {
      const { row: v, needed } = write;
      // Two nodes may have a vote each: the row is locked first, so that the later one counts both.
      return [
        ["update question set quorum = quorum where id = ?", [v.question]],
        [
          "insert into vote values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
          [v.question, v.tenant, v.process, v.person, v.choice, v.reason, v.at, v.signature],
        ],
        [
          `update question set answer = ?, reason = ?, answered_by = ?, answered_at = ?
             where id = ? and answered_at is null
               and (select count(*) from vote where vote.question = question.id and choice = ?) >= ?`,
          [v.choice, v.reason, v.person, v.at, v.question, v.choice, needed],
        ],
      ];
    }
    case "holding.add": {
      const { row: h, ifSettled } = write;
      const condition =
        ifSettled === undefined
          ? ""
          : `where exists (select 1 from question
               where id = ? and answer = 'approve' and answered_by = ? and answered_at = ?)`;
      return [
        [
          `insert into holding select ?, ?, ?, ?, ?, ?, ?, ?, ?, ? ${condition}`,
          [
            h.handle,
            h.tenant,
            h.process,
            h.agent,
            h.state,
            JSON.stringify(h.blocks),
            h.givenBy,
            h.givenAt,
            h.expiresAt,
            h.reason,
            ...(ifSettled === undefined ? [] : [ifSettled.question, ifSettled.by, ifSettled.at]),
          ],
        ],
      ];
    }
    case "holding.set": // what is revoked stays so
      return [
        [
          "update holding set state = ? where handle = ? and state <> 'revoked'",
          [write.state, write.handle],
        ],
      ];
    case "revoked.add":
      return [
        [
          "insert into revoked values (?, ?, ?, ?) on conflict do nothing",
          [write.id, write.tenant, write.at, write.by],
        ],
      ];
    case "label.put":
      return [
        [
          "insert into resource_label values (?, ?, ?) on conflict (tenant, resource) do update set label = excluded.label",
          [write.tenant, write.resource, write.label],
        ],
      ];
    case "secret.put": {
      const { tenant, name, sealed, updatedAt } = write.row;
      return [
        [
          `insert into secret values (?, ?, ?, ?) on conflict (tenant, name) do update
             set sealed = excluded.sealed, updated_at = excluded.updated_at`,
          [tenant, name, sealed, updatedAt],
        ],
      ];
    }
    case "secret.remove":
      return [["delete from secret where tenant = ? and name = ?", [write.tenant, write.name]]];
    case "ledger.add": {
      const { node, seq, tenant, at, entry, hash } = write.row;
      return [
        ["insert into ledger values (?, ?, ?, ?, ?, ?)", [node, seq, tenant, at, entry, hash]],
      ];
    }
    case "blob.put":
      return putBlob(write);
    case "manifest.put":
      return [
        [
          "insert into manifest values (?, ?, ?) on conflict do nothing",
          [write.tenant, write.hash, write.body],
        ],
      ];
    case "block.put":
      return [
        [
          "insert into block values (?, ?, ?) on conflict (id) do update set state = excluded.state",
          [write.id, write.tenant, write.state],
        ],
      ];
    case "tenant.set":
      return [
        [
          "update tenant set ceiling = ?, removed_at = ? where id = ?",
          [write.row.ceiling, write.row.removedAt, write.row.key],
        ],
      ];
    case "core.put":
      return [
        [
          "insert into core values (?, ?, ?) on conflict (process) do update set body = excluded.body",
          [write.process, write.tenant, write.body],
        ],
      ];
  }
}
