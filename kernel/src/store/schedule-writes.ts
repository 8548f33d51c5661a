// Schedule writes: what a commit does to schedules and their ticks, the same text for both databases.
//
// SCHEDULE-WRITES-1  A tick is decided once: where it is there already, or the schedule has been changed meanwhile, the
//     tick, its run and all that the run is born with are refused in that same transaction. The rest goes through.
// SCHEDULE-WRITES-2  A cursor never goes back.
// SCHEDULE-WRITES-3  The end of a run counts once.

import type { ProcessKey } from "./rows.ts";
import type { ScheduleChange, TickWrite } from "./schedule-rows.ts";
import type { Write } from "./write-kinds.ts";
import type { Statement } from "./writes.ts";

const AT_REVISION = "exists (select 1 from schedule where key = ? and revision = ?)";

/** SCHEDULE-WRITES-1. Changes one row, or the tick is refused. */
export function tickClaim({ row: t, wasQueued, revision }: TickWrite): Statement {
  const isOpen = t.outcome === "queued" || t.outcome === "started" ? 1 : 0;
  if (wasQueued)
    return [
      `update tick set outcome = ?, reason = ?, at = ?, pid = ?, process = ?, reserved_micro_usd = ?, reserved_tokens = ?,
           is_open = ?, given = ?
         where schedule = ? and id = ? and outcome = 'queued' and ${AT_REVISION} returning 1 as one`,
      [
        t.outcome,
        t.reason,
        t.at,
        t.pid,
        t.process,
        t.reservedMicroUsd,
        t.reservedTokens,
        isOpen,
        t.given ?? null,
        t.schedule,
        t.id,
        t.schedule,
        revision,
      ],
    ];
  return [
    `insert into tick select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? where ${AT_REVISION}
       on conflict do nothing returning 1 as one`,
    [
      t.schedule,
      t.id,
      t.tenant,
      t.nominal,
      t.dueAt,
      t.at,
      t.outcome,
      t.reason,
      t.pid,
      t.process,
      t.state,
      t.exitCode,
      t.endedAt,
      t.reservedMicroUsd,
      t.reservedTokens,
      t.microUsd,
      t.tokens,
      isOpen,
      t.given ?? null,
      t.schedule,
      revision,
    ],
  ];
}

/** What goes with a tick that was not refused. */
function afterClaim({ row, skips, failures, took, seen }: TickWrite): Statement[] {
  const counted: Statement = [
    "update schedule set skips = coalesce(?, skips), failures = coalesce(?, failures) where key = ?",
    [skips ?? null, failures ?? null, row.schedule],
  ];
  return [
    ...(skips === undefined && failures === undefined ? [] : [counted]),
    ...(seen === undefined ? [] : [seenStatement(row.schedule, seen)]),
    ...(took === undefined ? [] : [["delete from message where key = ?", [took]] as Statement]),
  ];
}

const seenStatement = (key: number, seen: string): Statement => [
  "update schedule set seen = ? where key = ?",
  [seen, key],
];

/** What a refused tick takes with it. */
export function isOfUnborn(write: Write, unborn: ReadonlySet<ProcessKey>): boolean {
  if (unborn.size === 0) return false;
  if (write.op === "process.add") return unborn.has(write.row.key);
  return write.op === "holding.add" && unborn.has(write.row.process);
}

/** Of a tick: what follows its claim, which the driver makes first. */
export function scheduleStatements(write: ScheduleChange): Statement[] {
  switch (write.op) {
    case "schedule.put": {
      const { row: s, was } = write;
      const said = [s.revision, s.spec, s.grants, s.paused, s.failures, s.skips, s.updatedAt];
      if (was > 0)
        return [
          [
            `update schedule set revision = ?, spec = ?, grants = ?, paused = ?, failures = ?, skips = ?, updated_at = ?,
                 cursor = case when cursor < ? then ? else cursor end
               where key = ? and revision = ?`,
            [...said, s.cursor, s.cursor, s.key, was],
          ],
        ];
      return [
        [
          `insert into schedule (key, tenant, name, node, cursor, month, month_micro_usd, month_tokens, created_at,
               revision, spec, grants, paused, failures, skips, updated_at)
             values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
          [s.key, s.tenant, s.name, s.node, s.cursor, s.month, 0, 0, s.createdAt, ...said],
        ],
      ];
    }
    case "schedule.remove":
      return [
        ["delete from tick where schedule = ?", [write.key]],
        ["delete from schedule where key = ?", [write.key]],
      ];
    case "schedule.pass": // SCHEDULE-WRITES-2
      return [
        [
          "update schedule set cursor = ? where key = ? and cursor < ?",
          [write.cursor, write.key, write.cursor],
        ],
      ];
    case "schedule.seen":
      return [seenStatement(write.key, write.seen)];
    case "backlog.drop":
      return [
        ["delete from message where subscription = ?", [write.durable]],
        ["delete from durable_subscription where key = ?", [write.durable]],
      ];
    case "tick.put":
      return afterClaim(write);
    case "tick.end": {
      const { schedule, id, state, exitCode, endedAt, isFailure, microUsd, tokens, month } = write;
      return [
        [
          `update schedule set failures = case when ? = 1 then failures + 1 else 0 end,
               month_micro_usd = case when month = ? then month_micro_usd + ? when month < ? then ? else month_micro_usd end,
               month_tokens = case when month = ? then month_tokens + ? when month < ? then ? else month_tokens end,
               month = case when month < ? then ? else month end
             where key = ? and exists (
               select 1 from tick where tick.schedule = schedule.key and id = ? and is_open = 1)`,
          [
            isFailure ? 1 : 0,
            month,
            microUsd,
            month,
            microUsd,
            month,
            tokens,
            month,
            tokens,
            month,
            month,
            schedule,
            id,
          ],
        ],
        [
          `update tick set state = ?, exit_code = ?, ended_at = ?, micro_usd = ?, tokens = ?, is_open = 0
             where schedule = ? and id = ? and is_open = 1`,
          [state, exitCode, endedAt, microUsd, tokens, schedule, id],
        ],
      ];
    }
    case "tick.prune":
      return [
        [
          "delete from tick where schedule = ? and at < ? and is_open = 0",
          [write.schedule, write.before],
        ],
      ];
  }
}
