// Journal: the records of one run. A long one is shown from its end while the rest is loaded.
//
// JOURNAL-QUERY-1  A journal only grows: records that are already loaded are not requested again.

import { queryOptions } from "@tanstack/react-query";
import type { JournalRecord } from "@aos/protocol/words";
import { daemon } from "./daemon.ts";
import { run } from "./queries.ts";
import { queryClient } from "./query-client.ts";

const RECORDS_A_TIME = 2_000;

export interface LoadedJournal {
  readonly records: readonly JournalRecord[];
  /** Whether the first is the first of the run. */
  readonly isWhole: boolean;
}

/** It grows by records alone, which event-stream.ts hears of. */
export const journal = (pid: string) =>
  queryOptions({
    queryKey: ["journal", pid],
    queryFn: async ({ signal }): Promise<LoadedJournal> => {
      const had = journalOf(pid);
      const last = had?.records.at(-1)?.seq;
      if (had !== undefined && last !== undefined) {
        const fresh = await recordsAfter(pid, last, { signal });
        return fresh.length === 0 ? had : { ...had, records: [...had.records, ...fresh] };
      }
      const { records } = await queryClient.ensureQueryData(run(pid));
      const after = records - RECORDS_A_TIME - 1;
      return {
        records: await recordsAfter(pid, after < 0 ? undefined : after, { signal }),
        isWhole: after < 0,
      };
    },
  });

/** What comes before those that are loaded. */
export async function loadEarlierRecords(pid: string, signal: AbortSignal): Promise<void> {
  const first = journalOf(pid)?.records[0]?.seq;
  if (first === undefined) return;
  const earlier = await recordsAfter(pid, undefined, { signal, before: first });
  queryClient.setQueryData<LoadedJournal>(["journal", pid], (now) =>
    now === undefined || now.isWhole || now.records[0]?.seq !== first
      ? now
      : { records: [...earlier, ...now.records], isWhole: true },
  );
}

const journalOf = (pid: string) => queryClient.getQueryData<LoadedJournal>(["journal", pid]);

async function recordsAfter(
  pid: string,
  after: number | undefined,
  { signal, before = Infinity }: { signal: AbortSignal; before?: number },
): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  for (let last = after; ; last = records.at(-1)!.seq) {
    const from = last === undefined ? {} : { after: last };
    const page = await daemon.journal({ pid, limit: RECORDS_A_TIME, ...from }, { signal });
    const wanted = page.filter(({ seq }) => seq < before);
    records.push(...wanted);
    if (page.length < RECORDS_A_TIME || wanted.length < page.length) return records;
    if (records.at(-1)!.seq + 1 >= before) return records;
  }
}
