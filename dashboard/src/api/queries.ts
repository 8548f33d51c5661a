// Queries: the requests of the page, each under its key. event-stream.ts invalidates them.
//
// QUERIES-1  A journal only grows: records that are already loaded are not requested again.

import { infiniteQueryOptions, QueryClient, queryOptions } from "@tanstack/react-query";
import { SysError, type JournalRecord } from "@aos/protocol/words";
import { daemon } from "./daemon.ts";

/** A run may change without a record (it waits, it asks): what is shown is looked at again this often. */
const LOOK_AGAIN_MS = 2_000;
export const RUNS_A_PAGE = 200;
const RECORDS_A_TIME = 2_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A daemon on this machine is there whether or not the machine is on a network.
      networkMode: "always",
      retry: false,
      staleTime: 1_000,
    },
    mutations: { networkMode: "always", retry: false },
  },
});

export const me = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => daemon.whoAmI({}, { signal }),
  staleTime: Infinity,
});

export const status = queryOptions({
  queryKey: ["status"],
  queryFn: ({ signal }) => daemon.status({}, { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

export const runs = infiniteQueryOptions({
  queryKey: ["runs"],
  queryFn: ({ pageParam, signal }) =>
    daemon.list(
      { limit: RUNS_A_PAGE, ...(pageParam === null ? {} : { before: pageParam }) },
      { signal },
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => (page.length < RUNS_A_PAGE ? undefined : page.at(-1)?.pid),
  refetchInterval: LOOK_AGAIN_MS,
});

export const questions = queryOptions({
  queryKey: ["questions"],
  queryFn: ({ signal }) => daemon.questions({}, { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

/** What one run waits for. */
export const questionsOf = (pid: string) =>
  queryOptions({
    queryKey: ["questions", pid],
    queryFn: ({ signal }) => daemon.questions({ pid }, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });

export const run = (pid: string) =>
  queryOptions({
    queryKey: ["run", pid],
    queryFn: ({ signal }) => daemon.show({ pid }, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });

export const children = (pid: string) =>
  queryOptions({
    queryKey: ["children", pid],
    queryFn: ({ signal }) => daemon.list({ parent: pid, limit: RUNS_A_PAGE }, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });

/** QUERIES-1. It grows by records alone, which event-stream.ts hears of. */
export const journal = (pid: string) =>
  queryOptions({
    queryKey: ["journal", pid],
    queryFn: async ({ signal }) => {
      const had: readonly JournalRecord[] = queryClient.getQueryData(["journal", pid]) ?? [];
      const fresh: JournalRecord[] = [];
      for (;;) {
        const last = fresh.at(-1) ?? had.at(-1);
        const more = await daemon.journal(
          { pid, limit: RECORDS_A_TIME, ...(last === undefined ? {} : { after: last.seq }) },
          { signal },
        );
        fresh.push(...more);
        if (more.length < RECORDS_A_TIME) return fresh.length === 0 ? had : [...had, ...fresh];
      }
    },
  });

export const why = (pid: string, seq: number) =>
  queryOptions({
    queryKey: ["why", pid, seq],
    queryFn: ({ signal }) => daemon.why({ pid, seq }, { signal }),
    staleTime: Infinity,
  });

/** The daemon does not know the caller, or no longer. */
export const isStranger = (error: unknown): boolean =>
  error instanceof SysError && error.code === "EACCES";
