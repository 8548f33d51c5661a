// RunList: lists of runs that are kept current run by run: what changed is requested, never the whole list again.
//
//   runList(filter)                 the query: the newest, and what older ones were loaded
//   loadOlderRuns(filter)           the next page
//   refreshRuns(pids)               requests these and puts them into every list that they fit
//
// RUN-LIST-1  Newest first, each run once.
// RUN-LIST-2  A first page that is loaded again replaces its range: what the daemon no longer keeps disappears.
// RUN-LIST-3  A change costs one request, however many lists are shown and however long they are.

import { queryOptions } from "@tanstack/react-query";
import type { ProcessInfo, ProcessState } from "@aos/protocol/words";
import { daemon } from "./daemon.ts";
import { queryClient } from "./query-client.ts";

const FIRST_PAGE = 200;
const NEXT_PAGE = 1_000;
/** That one request may name. */
const MOST_NAMED = 500;

export interface RunFilter {
  readonly states?: readonly ProcessState[];
  readonly pids?: readonly string[];
  readonly parent?: string;
  readonly find?: string;
  /** An ISO date. */
  readonly since?: string;
}

export interface LoadedRunList {
  readonly rows: readonly ProcessInfo[];
  readonly hasOlder: boolean;
}

const keyOf = (filter: RunFilter) => ["runs", filter] as const;

export const runList = (filter: RunFilter = {}) =>
  queryOptions({
    queryKey: keyOf(filter),
    queryFn: async ({ signal }): Promise<LoadedRunList> => {
      if (filter.pids?.length === 0) return { rows: [], hasOlder: false };
      const fresh = await daemon.list({ limit: FIRST_PAGE, ...requestOf(filter) }, { signal });
      return withFirstPage(queryClient.getQueryData<LoadedRunList>(keyOf(filter)), fresh);
    },
  });

export async function loadOlderRuns(filter: RunFilter): Promise<void> {
  const had = queryClient.getQueryData<LoadedRunList>(keyOf(filter));
  const last = had?.rows.at(-1);
  if (had?.hasOlder !== true || last === undefined) return;
  const older = await daemon.list({
    limit: NEXT_PAGE,
    before: last.pid,
    ...requestOf(filter),
  });
  queryClient.setQueryData<LoadedRunList>(keyOf(filter), (now) =>
    now?.rows.at(-1)?.pid === last.pid
      ? { rows: [...now.rows, ...older], hasOlder: older.length === NEXT_PAGE }
      : now,
  );
}

/** RUN-LIST-3. */
export async function refreshRuns(changed: Iterable<string>): Promise<void> {
  const pids = [...changed];
  for (let from = 0; from < pids.length; from += MOST_NAMED) {
    const named = pids.slice(from, from + MOST_NAMED);
    const fresh = await daemon.list({ pids: named.join(","), limit: MOST_NAMED });
    for (const [key, had] of queryClient.getQueriesData<LoadedRunList>({ queryKey: ["runs"] }))
      if (had !== undefined)
        queryClient.setQueryData(key, withRuns(had, key[1] as RunFilter, named, fresh));
  }
}

const requestOf = ({ states, pids, ...rest }: RunFilter) => ({
  ...rest,
  ...(states === undefined ? {} : { states: states.join(",") }),
  ...(pids === undefined ? {} : { pids: pids.slice(0, MOST_NAMED).join(",") }),
});

/** RUN-LIST-2. */
export function withFirstPage(
  had: LoadedRunList | undefined,
  fresh: readonly ProcessInfo[],
): LoadedRunList {
  const oldest = fresh.at(-1);
  if (oldest === undefined || fresh.length < FIRST_PAGE) return { rows: fresh, hasOlder: false };
  const older = had?.rows.filter(({ pid }) => pid < oldest.pid) ?? [];
  return { rows: [...fresh, ...older], hasOlder: older.length === 0 || had!.hasOlder };
}

/** RUN-LIST-1. Those of `named` that are not `fresh` are gone. */
export function withRuns(
  had: LoadedRunList,
  filter: RunFilter,
  named: readonly string[],
  fresh: readonly ProcessInfo[],
): LoadedRunList {
  const oldest = had.rows.at(-1)?.pid ?? "";
  const isInRange = ({ pid }: ProcessInfo) => !had.hasOlder || pid >= oldest;
  const replaced = new Set<string>(named);
  const kept = had.rows.filter(({ pid }) => !replaced.has(pid));
  const added = fresh.filter((run) => fits(filter, run) && isInRange(run));
  if (added.length === 0 && kept.length === had.rows.length) return had;
  const rows = [...kept, ...added].sort((a, b) => (a.pid < b.pid ? 1 : -1));
  return { ...had, rows };
}

/** As the daemon chooses. */
export function fits(filter: RunFilter, run: ProcessInfo): boolean {
  const { states, pids, parent, find, since } = filter;
  const words = find?.toLowerCase() ?? "";
  return (
    (states === undefined || states.includes(run.state)) &&
    (pids === undefined || pids.includes(run.pid)) &&
    (parent === undefined || run.parent === parent) &&
    (since === undefined || Date.parse(run.startedAt) >= Date.parse(since)) &&
    (run.agent.toLowerCase().includes(words) || run.pid.includes(words))
  );
}
