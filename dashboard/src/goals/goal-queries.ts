import { queryOptions } from "@tanstack/react-query";
import { daemon } from "../api/daemon.ts";

const LOOK_AGAIN_MS = 2_000;

export const goalList = queryOptions({
  queryKey: ["goals"],
  queryFn: ({ signal }) => daemon.goals({}, { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

export const goalOf = (pid: string) =>
  queryOptions({
    queryKey: ["goals", pid],
    queryFn: ({ signal }) => daemon.goal({ pid }, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });
