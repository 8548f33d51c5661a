// The file behind IdempotencyStore: one JSON line for every change; the last line of an id counts.
//
// IDEMPOTENCY-FILE-1  A line is on the disk when `put` returns.
// IDEMPOTENCY-FILE-2  An incomplete last line, left by a crash, is ignored: no caller had received its answer.

import {
  closeSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";

export interface IdempotencyEntry {
  readonly id: string;
  /** What tells one request from another. */
  readonly print: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly pid?: string;
  /** A body that was too large to keep is null. */
  readonly answer?: { readonly status: number; readonly body: string | null };
}

export interface IdempotencyFile {
  readonly size: number;
  get(id: string): IdempotencyEntry | undefined;
  put(entry: IdempotencyEntry): void;
  remove(id: string): void;
  oldestFirst(): Iterable<IdempotencyEntry>;
}

/** So many lines more than entries are borne before the file is written anew. */
const SLACK = 10_000;

/** Opens the file, without what is older; it is made at the first line. */
export function openIdempotencyFile(file: string, sinceMs: number): IdempotencyFile {
  const { entries, lines: found } = read(file, sinceMs);
  let lines = found;
  if (lines > entries.size) lines = rewrite(file, entries);
  const add = (line: object) => {
    const opened = openSync(file, "a", 0o600);
    try {
      writeSync(opened, `${JSON.stringify(line)}\n`);
      fdatasyncSync(opened); // IDEMPOTENCY-FILE-1
    } finally {
      closeSync(opened);
    }
    lines += 1;
    if (lines > 2 * entries.size + SLACK) lines = rewrite(file, entries);
  };
  return {
    get size() {
      return entries.size;
    },
    get: (id) => entries.get(id),
    put(entry) {
      entries.set(entry.id, entry);
      add(entry);
    },
    remove(id) {
      if (entries.delete(id)) add({ id, gone: true });
    },
    oldestFirst: () => entries.values(),
  };
}

function read(
  file: string,
  sinceMs: number,
): { entries: Map<string, IdempotencyEntry>; lines: number } {
  const entries = new Map<string, IdempotencyEntry>();
  const text = textOf(file);
  const lines = text === "" ? [] : text.split("\n");
  for (const line of lines) {
    const entry = entryOf(line);
    if (entry === undefined) continue;
    if ("gone" in entry || entry.at <= sinceMs) entries.delete(entry.id);
    else entries.set(entry.id, entry);
  }
  return { entries, lines: lines.length };
}

/** IDEMPOTENCY-FILE-2. */
function entryOf(line: string): IdempotencyEntry | { id: string; gone: true } | undefined {
  try {
    return JSON.parse(line) as IdempotencyEntry;
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function rewrite(file: string, entries: ReadonlyMap<string, IdempotencyEntry>): number {
  const text = [...entries.values()].map((entry) => `${JSON.stringify(entry)}\n`).join("");
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  return entries.size;
}
