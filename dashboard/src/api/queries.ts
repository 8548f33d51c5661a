// Queries: the requests of the page, each under its key. event-stream.ts invalidates them. run-list.ts has the lists
// of runs, journal.ts their records.

import { queryOptions } from "@tanstack/react-query";
import { SysError } from "@aos/protocol/words";
import { daemon } from "./daemon.ts";

/** A run may change without a record (it waits, it asks): what is shown is looked at again this often. */
export const LOOK_AGAIN_MS = 2_000;

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

export const why = (pid: string, seq: number) =>
  queryOptions({
    queryKey: ["why", pid, seq],
    queryFn: ({ signal }) => daemon.why({ pid, seq }, { signal }),
    staleTime: Infinity,
  });

/** The daemon does not know the caller, or no longer. */
export const isStranger = (error: unknown): boolean =>
  error instanceof SysError && error.code === "EACCES";
