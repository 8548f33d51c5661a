// A process for inspection: the loaded process itself, or, when it is not in memory, one restored from its
// rows and its journal and discarded afterwards.
//
// INSPECTED-1  Both give the same answers: label, power, tools allowed by skills, open streams, spending and size of
//     the tree.
// INSPECTED-2  A process that is being loaded counts as not in memory until its history is there.

import { isEnded } from "@aos/protocol";
import { fetchAnswers, answerOf, loadProcess } from "../process/load.ts";
import { restoreRecordedState, recordsFrom, withMarks } from "../process/recorded-state.ts";
import type { Process } from "../process/process.ts";
import type { ProcessRow } from "../store/rows.ts";
import { replayStreams } from "../handlers/files.ts";
import type { Journal } from "../journal/journal.ts";
import type { AccountRegistry } from "../process/accounts.ts";
import type { BlockRegistry } from "../process/blocks.ts";
import type { Manifests } from "../process/manifests.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { ProcessTrees } from "../process/trees.ts";
import type { Store } from "../store/contract.ts";

export interface InspectedProcessParts {
  readonly journal: Journal<Store>;
  readonly store: Store;
  readonly blocks: BlockRegistry;
  readonly accounts: AccountRegistry;
  readonly manifests: Manifests;
  readonly table: ProcessTable;
  readonly trees: ProcessTrees;
}

export async function processForQuestions(
  parts: InspectedProcessParts,
  row: ProcessRow,
): Promise<Process> {
  const loaded = parts.table.whole(row.key);
  if (loaded !== undefined) return loaded;
  const { store, journal, trees } = parts;
  await journal.durable();
  const process = await loadProcess(parts, row.key);
  await trees.look(process);
  if (isEnded(process.row.state)) {
    process.label = withMarks(process.label, process.row);
    return process;
  }
  const records = await recordsFrom(store, row.key, process.row.base);
  restoreRecordedState(process, records);
  process.label = withMarks(process.label, process.row);
  await reopenStreams(parts, process, records);
  return process;
}

/** A call may name a stream that it opened. */
async function reopenStreams(
  { store }: InspectedProcessParts,
  process: Process,
  records: Awaited<ReturnType<typeof recordsFrom>>,
): Promise<void> {
  const calls = records.filter(
    (record) => record.kind === "call" && record.err === undefined && STREAMS.has(record.call),
  );
  await fetchAnswers(calls, (digest) => store.blob(process.tenant, digest));
  for (const record of calls)
    if (record.kind === "call")
      replayStreams(process, { name: record.call, args: record.args }, answerOf(record));
}

const STREAMS: ReadonlySet<string> = new Set(["open", "close", "read"]);
