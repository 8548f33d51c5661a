// Audit of memory: content and label of a row match the journal of its writer.
//
// For a file that was appended to, only the label is compared, since several processes may have written it. A writer
// whose history was removed leaves nothing to compare.

import { storedPath, type CallRecord, type Json, type JournalRecord } from "@aos/protocol";
import { decodeArgs } from "../journal/codec.ts";
import type { FileRow, ProcessRow } from "../store/rows.ts";

interface Written {
  readonly seq: number;
  /** JSON text; undefined where it cannot be said. */
  readonly data: string | undefined;
  readonly label: string;
}

interface Args {
  readonly path?: string;
  readonly fd?: number;
  readonly data?: Json;
  readonly isLost?: true;
}

const PLAIN = "trusted/public";

export async function memoryProblems(
  row: ProcessRow,
  records: readonly JournalRecord[],
  files: readonly FileRow[],
  fetch: (digest: string) => Promise<string | undefined>,
): Promise<{ seq: number; problem: string }[]> {
  const own = files.filter(({ space }) => space === 0 || space === row.key);
  const start = records[0];
  // Before the second format a record did not say what a row was labelled.
  if (own.length === 0 || start?.kind !== "start" || start.schema < 2) return [];
  const written = await writtenBy(records, row.spec.memorySpace, fetch);
  return own.flatMap((file) => {
    const last = written.get(file.path);
    const seq = last?.seq ?? records.length - 1;
    if (last === undefined)
      return [{ seq, problem: `${file.path} says that it wrote it, and it never did` }];
    if (last.data !== undefined && last.data !== file.data)
      return [{ seq, problem: `${file.path} is not what it wrote` }];
    if (last.label !== file.label)
      return [{ seq, problem: `${file.path} is labelled ${file.label}, and was ${last.label}` }];
    return [];
  });
}

/** What was last written to each path, as it is stored. */
async function writtenBy(
  records: readonly JournalRecord[],
  space: string | undefined,
  fetch: (digest: string) => Promise<string | undefined>,
): Promise<Map<string, Written>> {
  const written = new Map<string, Written>();
  const streams = new Map<number, string>();
  for (const record of records) {
    if (record.kind !== "call" || record.err !== undefined) continue;
    if (record.call !== "write" && record.call !== "open") continue;
    // Of a blob that is missing or changed another check speaks.
    const lost: Args = { ...(record.args as Args), isLost: true };
    const args = await decodeArgs(record.args, fetch).then(
      (whole) => whole as Args,
      () => lost,
    );
    if (record.call === "open") streams.set(record.ok as number, args.path!);
    else {
      const path = args.path ?? streams.get(args.fd!);
      if (path !== undefined) written.set(storedPath(path, space), wordsOf(record, args));
    }
  }
  return written;
}

const wordsOf = (record: CallRecord, { path, data, isLost }: Args): Written => ({
  seq: record.seq,
  data: path === undefined || isLost === true ? undefined : JSON.stringify(data ?? null),
  label: record.stored ?? PLAIN,
});
