// Fork memory: the working memory and subscriptions of a process at a record, computed from its journal alone, since
// its rows may have changed or been removed since.

import { isTopicPattern, type CallRecord, type Json, type JournalRecord } from "@aos/protocol";
import { argumentsOf } from "../journal/codec.ts";
import { join, labelText, readLabel } from "../label/label.ts";
import type { Write } from "../store/contract.ts";
import type { FileRow, ProcessRow } from "../store/rows.ts";

const WORKING = "/mem/working/";

interface Args {
  readonly path?: string;
  readonly fd?: number;
  readonly data?: Json;
  readonly topic?: string;
}

/** The writes that give a new process, as its own, what these records left. */
export async function memoryAfter(
  records: readonly JournalRecord[],
  row: ProcessRow,
  fetch: (digest: string) => Promise<string | undefined>,
): Promise<Write[]> {
  const files = new Map<string, FileRow>();
  const streams = new Map<number, string>();
  const topics = new Set<string>();
  let label = row.spec.label;

  const put = (path: string, data: string, at: number) => {
    if (!path.startsWith(WORKING)) return; // what is shared is there already
    const { tenant, key: space, pid: writer } = row;
    files.set(path, { tenant, space, path, data, writer, label: labelText(label), writtenAt: at });
  };

  for (const record of records) {
    if ("label" in record && record.label !== undefined)
      label = join(label, readLabel(record.label));
    if (!isDone(record)) continue;
    const args = (await argumentsOf(record, fetch)) as Args;
    if (record.call === "open") streams.set(record.ok as number, args.path!);
    else if (record.call === "remove") files.delete(args.path!);
    else if (record.call === "subscribe") topics.add(args.topic!);
    else if (record.call === "write" && args.path !== undefined)
      put(args.path, JSON.stringify(args.data ?? null), record.at);
    else if (record.call === "write") {
      const path = streams.get(args.fd!)!;
      const before = files.get(path)?.data ?? '""';
      put(path, JSON.stringify(`${JSON.parse(before) as string}${args.data as string}`), record.at);
    }
  }
  const { tenant, key: process } = row;
  return [
    ...[...files.values()].map((file): Write => ({ op: "file.put", row: file })),
    ...[...topics].map((topic): Write => {
      const isPattern = isTopicPattern(topic);
      return { op: "subscription.add", tenant, process, topic, isPattern };
    }),
  ];
}

const isDone = (record: JournalRecord): record is CallRecord =>
  record.kind === "call" && record.err === undefined;
