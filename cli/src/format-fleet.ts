// Fleets and their items as text.

import type { FleetItemReport, FleetReport } from "@aos/protocol";
import { stringify } from "yaml";
import { money } from "./money.ts";
import { printable } from "./printable.ts";
import { resultText } from "./print-ending.ts";

export const percentText = (part: number | null): string =>
  part === null ? "" : `${Math.round(part * 1000) / 10}%`;

/** As `2 of 0-8`. */
export const replicasText = ({ running, replicas, min, max }: FleetReport): string =>
  `${running.length}/${replicas}${min === max ? "" : ` (${min}-${max})`}`;

export function rollText({ roll }: FleetReport): string {
  if (roll === null) return "";
  const { from, to, runs, sample, isPaused } = roll;
  return `${from} to ${to}, ${runs} of ${sample}${isPaused ? ", paused" : ""}`;
}

export function formatFleet(fleet: FleetReport): string {
  const { month, errorRate, costUsd, running, roll, versions, ...rest } = fleet;
  return printable(
    stringify({
      ...rest,
      errors: percentText(errorRate),
      cost: `${money(costUsd)} a run`,
      month: `${money(month.usd)}, ${month.tokens} tokens`,
      running: running.map(
        ({ item, pid, version, attempt }) => `${item} ${pid} version ${version} attempt ${attempt}`,
      ),
      versions: versions.map(
        ({ version, role, agent, runs, errors, costUsd: cost, manifestHash }) =>
          `${version} ${role} ${agent} ${manifestHash.slice(0, 12)}: ${errors} of ${runs} failed, ${money(cost)} a run`,
      ),
      ...(roll === null ? {} : { roll: `${rollText(fleet)}: ${roll.verdict}, ${roll.reason}` }),
    }).trimEnd(),
  );
}

export const itemText = ({ state, output, reason, id }: FleetItemReport): string =>
  state === "done"
    ? resultText(output)
    : `${id} is ${state}${reason === null ? "" : `: ${reason}`}`;
