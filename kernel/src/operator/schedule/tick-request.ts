// TickRequest: what a tick asks the kernel to start.

import { SysError } from "@aos/protocol";
import type { SpawnRequest } from "../../api.ts";
import { readLabel } from "../../label/label.ts";
import { eventInput } from "../../schedule/event-input.ts";
import type { TickRow } from "../../store/schedule-rows.ts";
import { running, type ScheduleEntry } from "./schedule-entry.ts";
import { eventOf } from "./schedule-event.ts";

export const isoOf = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

export const overlapReason = (entry: ScheduleEntry): string =>
  `overlap: ${running(entry)
    .map(({ pid }) => pid)
    .join(", ")} still runs`;

/** What a schedule asks for that cannot be had, not what stands against any start. */
export const isOwnFault = (error: unknown): boolean =>
  error instanceof SysError && !["ESHUTDOWN", "ESTORE", "ESTATE", "EFENCED"].includes(error.code);

/** SCHEDULE-RUNS-3. */
export function requestOf(entry: ScheduleEntry, tick: TickRow): SpawnRequest {
  const { schedule, source, grants, row, tenantName } = entry;
  const { agent, budget, lane } = schedule;
  const { input, label } = inputOf(entry, tick);
  const manifest = source.manifest ?? schedule.manifest;
  const { usd, tokens, toolCalls, wall } = budget ?? {};
  return {
    ...(manifest === undefined ? { agent: agent! } : { manifest: manifest as never }),
    ...(source.folder === undefined ? {} : { folder: source.folder }),
    ...(source.workspace === undefined ? {} : { workspace: source.workspace }),
    ...(input === undefined ? {} : { input }),
    ...(label === undefined ? {} : { label }),
    ...(lane === undefined ? {} : { lane }),
    ...(budget === undefined
      ? {}
      : {
          budget: {
            ...(usd === undefined ? {} : { usd }),
            ...(tokens === undefined ? {} : { tokens }),
            ...(toolCalls === undefined ? {} : { toolCalls }),
            ...(wall === undefined ? {} : { wallMs: wall }),
          },
        }),
    capabilities: grants.capabilities,
    tenant: tenantName,
    by: `schedule:${row.name}`,
  };
}

/** Of an event, or as it is written. */
function inputOf(
  { schedule }: ScheduleEntry,
  tick: TickRow,
): Pick<SpawnRequest, "input" | "label"> {
  const { input, label } = schedule;
  const given = eventOf(tick);
  if (given !== undefined) return { input: eventInput(input, given.event), label: given.label };
  return {
    ...(input === undefined ? {} : { input }),
    ...(label === undefined ? {} : { label: readLabel(label) }),
  };
}
