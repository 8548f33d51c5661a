// FleetEvents: what happened to a fleet, as rows that people and the page read.

import type { FleetEventReport } from "@aos/protocol";
import { hexOf } from "../../journal/chain.ts";
import type { Platform } from "../../platform/clock.ts";
import type { Write } from "../../store/contract.ts";
import { fleetWrite, type FleetRow } from "../../store/fleet-rows.ts";

export interface FleetEventDraft {
  readonly what: FleetEventReport["what"];
  readonly by: string;
  readonly detail: string;
  /** What happens once: said again it is the same. */
  readonly id?: string;
}

export function eventWrite(
  platform: Platform,
  { key, tenant }: Pick<FleetRow, "key" | "tenant">,
  { what, by, detail, id }: FleetEventDraft,
): Write {
  const at = platform.now();
  const row = {
    fleet: key,
    id: id ?? `${at.toString(36)}-${hexOf(platform.bytes(6))}`,
    tenant,
    at,
    what,
    by,
    detail: detail.slice(0, 2000),
  };
  return fleetWrite({ op: "event.add", row });
}
