// Reports: the queries of the views that are read off one operation each. queries.ts has those of runs.

import type { CostGroup } from "@aos/protocol/words";
import { queryOptions } from "@tanstack/react-query";
import { daemon } from "./daemon.ts";

/** For what changes by itself; ten times what the dearest of them takes. */
const LOOK_AGAIN_MS = 5_000;

export const queue = queryOptions({
  queryKey: ["queue"],
  queryFn: ({ signal }) => daemon.queue({}, { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

export const agents = queryOptions({
  queryKey: ["agents"],
  queryFn: ({ signal }) => daemon.agents({}, { signal }),
});

export const models = (all: boolean) =>
  queryOptions({
    queryKey: ["models", all],
    queryFn: ({ signal }) => daemon.models(all ? { all: true } : {}, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });

export const tools = queryOptions({
  queryKey: ["tools"],
  queryFn: ({ signal }) => daemon.tools({}, { signal }),
});

export const mcpServers = queryOptions({
  queryKey: ["mcpServers"],
  queryFn: ({ signal }) => daemon.mcpServers({}, { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

export const skills = queryOptions({
  queryKey: ["skills"],
  queryFn: ({ signal }) => daemon.skills({}, { signal }),
});

export const policy = queryOptions({
  queryKey: ["policy"],
  queryFn: ({ signal }) => daemon.policy({}, { signal }),
});

export const cost = (by: CostGroup, sinceMs: number | null) =>
  queryOptions({
    queryKey: ["cost", by, sinceMs],
    queryFn: ({ signal }) =>
      daemon.cost({ by, ...(sinceMs === null ? {} : { sinceMs }) }, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });

export const ledger = (limit: number) =>
  queryOptions({
    queryKey: ["ledger", limit],
    queryFn: ({ signal }) => daemon.ledger({ limit }, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });

export const doctor = queryOptions({
  queryKey: ["doctor"],
  queryFn: ({ signal }) => daemon.doctor({}, { signal }),
  staleTime: 60_000,
});

export const topics = queryOptions({
  queryKey: ["topics"],
  queryFn: ({ signal }) => daemon.topics({}, { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

export const deadLetters = queryOptions({
  queryKey: ["deadLetters"],
  queryFn: ({ signal }) => daemon.deadLetters({ limit: 200 }, { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

export const memoryStats = queryOptions({
  queryKey: ["memoryStats"],
  queryFn: ({ signal }) => daemon.memoryStats({}, { signal }),
});

export const tenantList = queryOptions({
  queryKey: ["tenants"],
  queryFn: ({ signal }) => daemon.tenants({}, { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

export const holdingsOf = (holder: { pid: string } | { agent: string }) =>
  queryOptions({
    queryKey: ["power", holder],
    queryFn: ({ signal }) => daemon.power(holder, { signal }),
  });

export const changesOf = (pid: string) =>
  queryOptions({
    queryKey: ["changes", pid],
    queryFn: ({ signal }) => daemon.changes({ pid, text: true }, { signal }),
    retry: false,
  });

export const manifestOf = (pid: string) =>
  queryOptions({
    queryKey: ["manifest", pid],
    queryFn: ({ signal }) => daemon.manifest({ pid }, { signal }),
    staleTime: Infinity,
  });

export const contextOf = (pid: string, at: number | undefined) =>
  queryOptions({
    queryKey: ["context", pid, at ?? null],
    queryFn: ({ signal }) =>
      daemon.exportContext({ pid, ...(at === undefined ? {} : { at }) }, { signal }),
  });

export const momentAt = (pid: string, seq: number) =>
  queryOptions({
    queryKey: ["moment", pid, seq],
    queryFn: ({ signal }) => daemon.moment({ pid, seq }, { signal }),
    staleTime: Infinity,
  });

export const forkEstimate = (pid: string, at: number) =>
  queryOptions({
    queryKey: ["forkEstimate", pid, at],
    queryFn: ({ signal }) => daemon.estimateFork({ pid, at }, { signal }),
  });
