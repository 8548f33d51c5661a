// Recorded state: the state of a process that only its journal has: its label, and the tools that skills allow.
//
//   restoreRecordedState(process, records)        from its last checkpoint or restart on, into a shell
//   recordedLabel(store, row)       the label alone, for who only shows it
//
// RECORDED-STATE-1  A process answers queries in the same way whether it is in memory or not: both use these records.
// RECORDED-STATE-2  A row can only add to the label of the journal: it has what a call in progress had marked when
//     the process left memory.

import { isEnded, type JournalRecord, type Label } from "@aos/protocol";
import { parseRecord } from "../journal/record-text.ts";
import { join, readLabel } from "../label/label.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";
import { narrowAgain } from "./narrowing.ts";
import type { Process } from "./process.ts";

export function restoreRecordedState(process: Process, records: readonly JournalRecord[]): void {
  process.label = labelIn(records, process.label);
  process.recordedLabel = process.label;
  for (const record of records) narrowAgain(process, record);
}

export async function recordedLabel(
  store: Store,
  row: Pick<ProcessRow, "key" | "state" | "base" | "label" | "spec">,
): Promise<Label> {
  if (isEnded(row.state)) return row.label === null ? row.spec.label : readLabel(row.label);
  const label = labelIn(await recordsFrom(store, row.key, row.base), row.spec.label);
  return withMarks(label, row);
}

/** RECORDED-STATE-2. */
export const withMarks = (label: Label, row: Pick<ProcessRow, "label">): Label =>
  row.label === null ? label : join(label, readLabel(row.label));

const labelIn = (records: readonly JournalRecord[], born: Label): Label =>
  records.reduce(
    (label, record) =>
      "label" in record && record.label !== undefined
        ? join(label, readLabel(record.label))
        : label,
    born,
  );

export async function recordsFrom(
  store: Store,
  key: ProcessKey,
  seq: number,
): Promise<JournalRecord[]> {
  return (await store.records(key, { after: seq - 1 })).map((row) => parseRecord(row.text));
}
