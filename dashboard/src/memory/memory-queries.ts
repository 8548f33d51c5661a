import { queryOptions } from "@tanstack/react-query";
import { daemon } from "../api/daemon.ts";

/** It runs a process that the gate judges, so it is asked once for each text. */
export const foundInMemory = (query: string) =>
  queryOptions({
    queryKey: ["foundInMemory", query],
    queryFn: ({ signal }) => daemon.searchMemory({ query, label: "untrusted" }, { signal }),
    staleTime: Infinity,
  });

export const memoryRecord = (path: string) =>
  queryOptions({
    queryKey: ["memoryRecord", path],
    queryFn: ({ signal }) => daemon.memoryRecord({ path }, { signal }),
  });
