// Filters: which runs are shown.

import { isEnded, type ProcessInfo } from "@aos/protocol/words";

export const filters = {
  all: { name: "All", fits: () => true },
  live: { name: "Live", fits: ({ state }) => !isEnded(state) },
  asking: { name: "Asking", fits: ({ waitingOn }) => waitingOn === "approval" },
  failed: { name: "Failed", fits: ({ state }) => state === "failed" || state === "killed" },
} as const satisfies Record<string, { name: string; fits: (run: ProcessInfo) => boolean }>;

export type FilterName = keyof typeof filters;

export const filterNames = Object.keys(filters) as FilterName[];

/** By what the run is called: its agent, or any part of its pid. */
export function chooseRuns(
  runs: readonly ProcessInfo[],
  request: { show: FilterName; find: string },
): ProcessInfo[] {
  const { fits }: { fits: (run: ProcessInfo) => boolean } = filters[request.show];
  const words = request.find.trim().toLowerCase();
  return runs.filter(
    (run) => fits(run) && (run.agent.toLowerCase().includes(words) || run.pid.includes(words)),
  );
}
