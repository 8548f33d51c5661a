// Fleet rows: fleets, their items, runs and events as the store keeps them, and what a commit can do to them.

import type { ItemState } from "@aos/protocol";
import type { ProcessKey, TenantKey } from "./rows.ts";
import type { Write } from "./write-kinds.ts";

/** Replicas of an agent on a queue of items. */
export interface FleetRow {
  readonly key: number;
  readonly tenant: TenantKey;
  readonly name: string;
  /** The node that begins its items. */
  readonly node: string;
  /** Raised by every change of what it is, by a person or by a roll. */
  readonly revision: number;
  /** JSON text: its text, its versions with their power, its bounds and its roll. */
  readonly spec: string;
  /** Why it is paused, or drained; null where it is not. */
  readonly paused: string | null;
  readonly draining: string | null;
  readonly replicas: number;
  readonly scaledAt: number;
  /** A node looks after it; still so at a start, that node has died. */
  readonly isTended: boolean;
  /** `YYYYMM`, and what its runs of that month have used that ended. */
  readonly month: number;
  readonly monthMicroUsd: number;
  readonly monthTokens: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One piece of work. */
export interface FleetItemRow {
  readonly fleet: number;
  readonly id: string;
  readonly tenant: TenantKey;
  readonly state: ItemState;
  readonly attempt: number;
  readonly crashes: number;
  readonly version: number | null;
  readonly pid: string | null;
  readonly process: ProcessKey | null;
  readonly reason: string | null;
  /** JSON text. */
  readonly input: string;
  readonly label: string;
  readonly sentAt: number;
  readonly sentBy: string;
  readonly notBefore: number;
  readonly begunAt: number | null;
  readonly endedAt: number | null;
  readonly microUsd: number;
  readonly tokens: number;
}

/** One attempt at an item. */
export interface FleetRunRow {
  readonly fleet: number;
  readonly item: string;
  readonly pid: string;
  readonly process: ProcessKey;
  readonly tenant: TenantKey;
  readonly version: number;
  readonly at: number;
  readonly endedAt: number | null;
  readonly isError: boolean;
  readonly microUsd: number;
  readonly tokens: number;
}

export interface FleetEventRow {
  readonly fleet: number;
  readonly id: string;
  readonly tenant: TenantKey;
  readonly at: number;
  readonly what: string;
  readonly by: string;
  readonly detail: string;
}

/** An item is begun. Where it has changed, or the fleet, nothing of it happens and `birth` is not born. */
export interface ItemAttempt {
  readonly op: "item.take";
  readonly run: FleetRunRow;
  /** What the attempts were before this one. */
  readonly was: number;
  readonly revision: number;
  readonly birth: ProcessKey;
}

export type FleetChange =
  | {
      readonly op: "fleet.put";
      readonly row: FleetRow;
      /** The revision that it is the next of; 0 for a new one. Nothing happens where it is another. */
      readonly was: number;
    }
  | { readonly op: "fleet.remove"; readonly key: number }
  | {
      readonly op: "fleet.scale";
      readonly key: number;
      readonly replicas: number;
      readonly at: number;
    }
  | { readonly op: "fleet.tend"; readonly key: number; readonly isTended: boolean }
  /** Nothing happens where it is there, or the fleet takes none. `took` is the message that it came of. */
  | { readonly op: "item.send"; readonly row: FleetItemRow; readonly took?: number }
  | ItemAttempt
  | {
      /** Its attempt is over; nothing where that is known. */
      readonly op: "item.end";
      readonly fleet: number;
      readonly id: string;
      readonly process: ProcessKey;
      readonly state: ItemState;
      readonly reason: string | null;
      readonly notBefore: number;
      readonly at: number;
      readonly isError: boolean;
      readonly microUsd: number;
      readonly tokens: number;
      readonly month: number;
    }
  | {
      /** It could not be begun. */
      readonly op: "item.fail";
      readonly fleet: number;
      readonly id: string;
      readonly was: number;
      readonly state: ItemState;
      readonly reason: string;
      readonly notBefore: number;
      readonly at: number;
    }
  /** The host died while these ran. */
  | { readonly op: "item.crash"; readonly fleet: number; readonly at: number }
  | { readonly op: "item.retry"; readonly fleet: number; readonly id: string; readonly at: number }
  | { readonly op: "event.add"; readonly row: FleetEventRow }
  /** Finished items, and events, that are older. */
  | { readonly op: "fleet.prune"; readonly key: number; readonly before: number };

export const fleetWrite = (change: FleetChange): Write => ({ op: "fleet", change });

/** Undefined for a write of another kind. */
export const fleetChangeOf = (write: Write): FleetChange | undefined =>
  write.op === "fleet" ? (write.change as FleetChange) : undefined;

export const fleetOf = (change: FleetChange): number => {
  if (change.op === "fleet.put") return change.row.key;
  if (change.op === "item.take") return change.run.fleet;
  if (change.op === "item.send" || change.op === "event.add") return change.row.fleet;
  return "fleet" in change ? change.fleet : change.key;
};
