// Fleet writes: what a commit does to fleets and their items, the same text for both databases.
//
// FLEET-WRITES-1  An item is begun once for each attempt: where it has been begun meanwhile, or the fleet has changed or
//     takes nothing, the attempt, its run and all that the run is born with are refused in that same transaction.
// FLEET-WRITES-2  The end of an attempt counts once.
// FLEET-WRITES-3  An item is sent once for each id, and to no fleet that is drained.

import type { FleetChange, ItemAttempt } from "./fleet-rows.ts";
import type { Statement } from "./writes.ts";

/** FLEET-WRITES-1. Changes one row, or the attempt is refused. */
export function itemClaim({ run, was, revision }: ItemAttempt): Statement {
  return [
    `update fleet_item set state = 'running', attempt = attempt + 1, version = ?, pid = ?, process = ?, begun_at = ?
       where fleet = ? and id = ? and state = 'waiting' and attempt = ?
         and exists (select 1 from fleet where key = ? and revision = ? and paused is null and draining is null)
       returning 1 as one`,
    [run.version, run.pid, run.process, run.at, run.fleet, run.item, was, run.fleet, revision],
  ];
}

/** Of an attempt: what follows its claim, which the driver makes first. */
export function fleetStatements(write: FleetChange): Statement[] {
  switch (write.op) {
    case "fleet.put": {
      const { row: f, was } = write;
      const said = [f.revision, f.spec, f.paused, f.draining, f.replicas, f.scaledAt, f.updatedAt];
      if (was > 0)
        return [
          [
            `update fleet set revision = ?, spec = ?, paused = ?, draining = ?, replicas = ?, scaled_at = ?, updated_at = ?
               where key = ? and revision = ?`,
            [...said, f.key, was],
          ],
        ];
      return [
        [
          `insert into fleet (key, tenant, name, node, is_tended, month, month_micro_usd, month_tokens, created_at,
               revision, spec, paused, draining, replicas, scaled_at, updated_at)
             values (?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
          [f.key, f.tenant, f.name, f.node, f.isTended ? 1 : 0, f.month, f.createdAt, ...said],
        ],
      ];
    }
    case "fleet.remove":
      return ["fleet_event", "fleet_run", "fleet_item"]
        .map((table): Statement => [`delete from ${table} where fleet = ?`, [write.key]])
        .concat([["delete from fleet where key = ?", [write.key]]]);
    case "fleet.scale":
      return [
        [
          "update fleet set replicas = ?, scaled_at = ? where key = ?",
          [write.replicas, write.at, write.key],
        ],
      ];
    case "fleet.tend":
      return [
        ["update fleet set is_tended = ? where key = ?", [write.isTended ? 1 : 0, write.key]],
      ];
    case "item.send": {
      const { row: i, took } = write;
      return [
        [
          // FLEET-WRITES-3
          `insert into fleet_item (fleet, id, tenant, state, attempt, crashes, input, label, sent_at, sent_by, not_before,
               ended_at, reason, micro_usd, tokens)
             select ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, 0, 0
             where exists (select 1 from fleet where key = ? and tenant = ? and draining is null)
             on conflict do nothing`,
          [
            i.fleet,
            i.id,
            i.tenant,
            i.state,
            i.input,
            i.label,
            i.sentAt,
            i.sentBy,
            i.notBefore,
            i.endedAt,
            i.reason,
            i.fleet,
            i.tenant,
          ],
        ],
        ...(took === undefined
          ? []
          : [
              [
                `delete from message where key = ?
                   and exists (select 1 from fleet_item where fleet = ? and id = ?)`,
                [took, i.fleet, i.id],
              ] as Statement,
            ]),
      ];
    }
    case "item.take": {
      const { run: r } = write;
      return [
        [
          `insert into fleet_run (fleet, item, pid, process, tenant, version, at, is_error, micro_usd, tokens)
             values (?, ?, ?, ?, ?, ?, ?, 0, 0, 0)`,
          [r.fleet, r.item, r.pid, r.process, r.tenant, r.version, r.at],
        ],
      ];
    }
    case "item.end":
      return endStatements(write);
    case "item.fail":
      return [
        [
          `update fleet_item set attempt = attempt + 1, state = ?, reason = ?, not_before = ?,
               ended_at = ?
             where fleet = ? and id = ? and state = 'waiting' and attempt = ?`,
          [
            write.state,
            write.reason,
            write.notBefore,
            write.state === "waiting" ? null : write.at,
            write.fleet,
            write.id,
            write.was,
          ],
        ],
      ];
    case "item.crash":
      return [
        [
          `update fleet_item set crashes = crashes + 1 where fleet = ? and state = 'running' and begun_at <= ?
             and exists (select 1 from process where process.key = fleet_item.process and ended_at is null)`,
          [write.fleet, write.at],
        ],
      ];
    case "item.retry":
      return [
        [
          `update fleet_item set state = 'waiting', attempt = 0, crashes = 0, not_before = ?, ended_at = null
             where fleet = ? and id = ? and state = 'dead'
               and exists (select 1 from fleet where key = ? and draining is null)`,
          [write.at, write.fleet, write.id, write.fleet],
        ],
      ];
    case "event.add": {
      const { row: e } = write;
      return [
        [
          `insert into fleet_event (fleet, id, tenant, at, what, person, detail)
             select ?, ?, ?, ?, ?, ?, ? where exists (select 1 from fleet where key = ?)
             on conflict do nothing`,
          [e.fleet, e.id, e.tenant, e.at, e.what, e.by, e.detail, e.fleet],
        ],
      ];
    }
    case "fleet.prune":
      return [
        ["delete from fleet_run where fleet = ? and ended_at < ?", [write.key, write.before]],
        [
          "delete from fleet_item where fleet = ? and state in ('done', 'dead') and ended_at < ?",
          [write.key, write.before],
        ],
        ["delete from fleet_event where fleet = ? and at < ?", [write.key, write.before]],
      ];
  }
}

/** FLEET-WRITES-2. */
function endStatements(end: Extract<FleetChange, { op: "item.end" }>): Statement[] {
  const { fleet, id, process, state, reason, notBefore, at, isError, month } = end;
  const { microUsd, tokens } = end;
  const endedAt = state === "waiting" ? null : at;
  return [
    [
      `update fleet set
           month_micro_usd = case when month = ? then month_micro_usd + ? when month < ? then ? else month_micro_usd end,
           month_tokens = case when month = ? then month_tokens + ? when month < ? then ? else month_tokens end,
           month = case when month < ? then ? else month end
         where key = ? and exists (
           select 1 from fleet_run where fleet_run.fleet = fleet.key and process = ? and ended_at is null)`,
      [
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
        fleet,
        process,
      ],
    ],
    [
      `update fleet_item set state = ?, reason = ?, not_before = ?, micro_usd = micro_usd + ?, tokens = tokens + ?,
           ended_at = ?
         where fleet = ? and id = ? and state = 'running' and process = ?`,
      [state, reason, notBefore, microUsd, tokens, endedAt, fleet, id, process],
    ],
    [
      `update fleet_run set ended_at = ?, is_error = ?, micro_usd = ?, tokens = ?
         where fleet = ? and process = ? and ended_at is null`,
      [at, isError ? 1 : 0, microUsd, tokens, fleet, process],
    ],
  ];
}
