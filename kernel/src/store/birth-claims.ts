// Birth claims: the writes that decide whether a run is born: the tick of a schedule, the attempt at an item of a fleet.
// The driver makes the claim first; where it changes no row, the write and the run are refused (SCHEDULE-WRITES-1,
// FLEET-WRITES-1).

import { fleetChangeOf } from "./fleet-rows.ts";
import { itemClaim } from "./fleet-writes.ts";
import type { ProcessKey } from "./rows.ts";
import { changeOf } from "./schedule-rows.ts";
import { tickClaim } from "./schedule-writes.ts";
import type { Write } from "./write-kinds.ts";
import type { Statement } from "./writes.ts";

export interface BirthCheck {
  readonly statement: Statement;
  readonly birth: ProcessKey | undefined;
  /** Claims are made in one order on every node. */
  readonly order: readonly [owner: number, id: string];
}

export function birthCheckOf(write: Write): BirthCheck | undefined {
  const tick = changeOf(write);
  if (tick?.op === "tick.put")
    return {
      statement: tickClaim(tick),
      birth: tick.birth,
      order: [tick.row.schedule, tick.row.id],
    };
  const item = fleetChangeOf(write);
  if (item?.op !== "item.take") return undefined;
  return {
    statement: itemClaim(item),
    birth: item.birth,
    order: [item.run.fleet, item.run.item],
  };
}

export const inClaimOrder = ({ order: a }: BirthCheck, { order: b }: BirthCheck): number =>
  a[0] - b[0] || (a[1] < b[1] ? -1 : Number(a[1] > b[1]));

/** Changes by which claims are judged: they are made before. */
export function isJudgedBy(write: Write): boolean {
  const op = changeOf(write)?.op ?? fleetChangeOf(write)?.op;
  return (
    op === "schedule.put" || op === "schedule.remove" || op === "fleet.put" || op === "fleet.remove"
  );
}
