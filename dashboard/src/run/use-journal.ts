// UseJournal: the records of a run. The end of a long journal is there at once; what comes before it is loaded then.

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { journal, loadEarlierRecords } from "../api/journal.ts";

export function useJournal(pid: string) {
  const { data, error, refetch } = useQuery(journal(pid));
  const areMissing = data?.isWhole === false;
  useEffect(() => {
    if (!areMissing) return;
    const left = new AbortController();
    // What fails is loaded when the page is opened again; the end is shown meanwhile.
    loadEarlierRecords(pid, left.signal).catch(() => {});
    return () => left.abort();
  }, [pid, areMissing]);
  return { records: data?.records, isWhole: data?.isWhole === true, error, refetch };
}
