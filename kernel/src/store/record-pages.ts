// Record pages: the records of a process from the first to the last, some at a time. The next page is read while
// the one before it is worked on, and a history need not fit into memory.

import { SysError } from "@aos/protocol/failures";
import type { ProcessKey } from "./rows.ts";

export interface RecordPage {
  /** The seq of its first. */
  readonly first: number;
  readonly texts: readonly string[];
  /** 32 bytes of each, one after the other. */
  readonly hashes: Uint8Array;
}

/** Records on one page. */
export const PAGE_RECORDS = 512;

/** Yields what `pageFrom` answers for each page up to `last`, and has asked for the next before it yields. */
export async function* readAhead(
  key: ProcessKey,
  last: number,
  pageFrom: (first: number, count: number) => Promise<RecordPage>,
): AsyncGenerator<RecordPage> {
  const ask = (first: number) => {
    if (first > last) return undefined;
    const asked = pageFrom(first, Math.min(PAGE_RECORDS, last - first + 1));
    asked.catch(() => {}); // said where it is waited for, if anybody comes to that
    return asked;
  };
  let next = ask(0);
  for (let first = 0; next !== undefined; first += PAGE_RECORDS) {
    const page = await next;
    const missing = Math.min(PAGE_RECORDS, last - first + 1) - page.texts.length;
    if (missing > 0)
      throw new SysError("ESTATE", `${missing} records of process ${key} are not there any more`, {
        hint: "its history was compacted while it was read",
      });
    next = ask(first + PAGE_RECORDS);
    yield page;
  }
}

export function recordPage(
  first: number,
  rows: readonly { readonly record?: unknown; readonly hash?: unknown }[],
): RecordPage {
  const texts: string[] = [];
  const hashes = new Uint8Array(rows.length * 32);
  for (const { record, hash } of rows) {
    hashes.set(hash as Uint8Array, texts.length * 32);
    texts.push(record as string);
  }
  return { first, texts, hashes };
}

/** The condition that one of some groups of words is in a record; `has` says it of one word. */
export const hasWords = (words: readonly (readonly string[])[], has: string): string =>
  words.map((all) => `(${all.map(() => has).join(" and ")})`).join(" or ");
