// StateBar: how many runs there are in each state, as one stacked bar. A part chooses its runs.

import { useQuery } from "@tanstack/react-query";
import { isEnded, processStates, type ProcessState } from "@aos/protocol/words";
import { status } from "../api/queries.ts";
import { formatCount } from "../parts/format.ts";
import type { FilterName } from "./filters.ts";

const fill: Record<ProcessState, string> = {
  pending: "bg-line",
  running: "bg-accent",
  waiting: "bg-wait",
  paused: "bg-faint",
  completed: "bg-good",
  failed: "bg-bad",
  killed: "bg-bad/60",
};

const shownBy = (state: ProcessState): FilterName | undefined =>
  !isEnded(state) ? "live" : state === "completed" ? undefined : "failed";

export function StateBar({ onChoose }: { onChoose: (show: FilterName | undefined) => void }) {
  const { data } = useQuery(status);
  const counts = (data?.states ?? {}) as Partial<Record<ProcessState, number>>;
  const states = processStates.filter((state) => (counts[state] ?? 0) > 0);
  if (states.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex h-2 gap-px overflow-hidden rounded-full" aria-hidden="true">
        {states.map((state) => (
          <span
            key={state}
            className={`min-w-1 ${fill[state]}`}
            style={{ flexGrow: counts[state] ?? 0 }}
          />
        ))}
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-soft">
        {states.map((state) => (
          <button
            key={state}
            type="button"
            className="flex items-center gap-1.5 rounded hover:text-ink"
            onClick={() => onChoose(shownBy(state))}
          >
            <span className={`size-2 rounded-full ${fill[state]}`} aria-hidden="true" />
            {state} <span className="figures text-faint">{formatCount(counts[state] ?? 0)}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
