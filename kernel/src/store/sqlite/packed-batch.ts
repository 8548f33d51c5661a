// PackedBatch: a commit as it goes from one thread to another. Numbers go as one array and hashes as
// another, so that what has to be copied is little more than the texts themselves.

import type { Extension, Write } from "../contract.ts";
import { NO_HASH } from "../record-links.ts";
import type { SpendRow } from "../spend-row.ts";
import { Words } from "./words.ts";

/** Numbers of an extension, and of a row that it adds to spend. */
const NUMBERS = 12;
const SPEND_NUMBERS = 12;
const HASH_BYTES = 32;

export interface PackedBatch {
  /** Of each extension its own, followed by those of its rows of spend. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly hashes: Uint8Array<ArrayBuffer>;
  /** Where the records are not linked: what each extension goes on from (RECORD-LINKS-1). There are no hashes then. */
  readonly befores: string | undefined;
  readonly texts: string[];
  /** Agents, models and tools, each once: rows of spend name them by their place here. */
  readonly words: string[];
  /** The writes of the extensions that have any, by their place in the batch. */
  readonly writes: (readonly [place: number, writes: readonly Write[]])[];
}

export function pack(extensions: readonly Extension[], befores?: string): PackedBatch {
  let count = 0;
  let spends = 0;
  for (const { records, spend } of extensions) {
    count += records.length;
    spends += spend.length;
  }
  const numbers = new Float64Array(extensions.length * NUMBERS + spends * SPEND_NUMBERS);
  const hashes = new Uint8Array(befores === undefined ? count * HASH_BYTES : 0);
  const texts: string[] = [];
  const words = new Words();
  const writes: [number, readonly Write[]][] = [];
  let at = 0;
  for (let place = 0; place < extensions.length; place++) {
    const extension = extensions[place]!;
    const { records, spend } = extension;
    numbers[at++] = extension.process;
    numbers[at++] = extension.tenant;
    numbers[at++] = extension.epoch;
    numbers[at++] = extension.at;
    numbers[at++] = extension.firstSeq;
    numbers[at++] = extension.microUsd;
    numbers[at++] = extension.tokens;
    numbers[at++] = extension.toolCalls;
    numbers[at++] = extension.overMicroUsd;
    numbers[at++] = extension.overTokens;
    numbers[at++] = records.length;
    numbers[at++] = spend.length;
    for (const row of spend) at = packSpend(row, numbers, at, words);
    for (const { text, hash } of records) {
      if (befores === undefined) hashes.set(hash, texts.length * HASH_BYTES);
      texts.push(text);
    }
    if (extension.writes.length > 0) writes.push([place, extension.writes]);
  }
  return { numbers, hashes, befores, texts, words: words.all, writes };
}

export function unpack(packed: PackedBatch): Extension[] {
  const { numbers, hashes, befores, texts, words, writes } = packed;
  const { buffer } = hashes;
  const extensions: Extension[] = [];
  let text = 0;
  let written = 0;
  for (let at = 0; at < numbers.length;) {
    const from = at;
    at += NUMBERS;
    const records: Extension["records"] = [];
    for (let left = numbers[from + 10]!; left > 0; left--) {
      const hash =
        befores === undefined ? new Uint8Array(buffer, text * HASH_BYTES, HASH_BYTES) : NO_HASH;
      records.push({ text: texts[text++]!, hash });
    }
    const spend: SpendRow[] = [];
    for (let left = numbers[from + 11]!; left > 0; left--, at += SPEND_NUMBERS)
      spend.push(unpackSpend(numbers, at, words));
    extensions.push({
      process: numbers[from]!,
      pid: "", // of use to the one who packed it only
      tenant: numbers[from + 1]!,
      epoch: numbers[from + 2]!,
      at: numbers[from + 3]!,
      firstSeq: numbers[from + 4]!,
      end: "",
      microUsd: numbers[from + 5]!,
      tokens: numbers[from + 6]!,
      toolCalls: numbers[from + 7]!,
      overMicroUsd: numbers[from + 8]!,
      overTokens: numbers[from + 9]!,
      records,
      spend,
      writes: writes[written]?.[0] === extensions.length ? [...writes[written++]![1]] : [],
    });
  }
  return extensions;
}

function packSpend(row: SpendRow, numbers: Float64Array, from: number, words: Words): number {
  let at = from;
  numbers[at++] = row.tenant;
  numbers[at++] = row.hour;
  numbers[at++] = words.placeOf(row.agent);
  numbers[at++] = row.root;
  numbers[at++] = words.placeOf(row.what);
  numbers[at++] = row.microUsd;
  numbers[at++] = row.tokens;
  numbers[at++] = row.toolCalls;
  numbers[at++] = row.calls;
  numbers[at++] = row.unpriced;
  numbers[at++] = row.overMicroUsd;
  numbers[at++] = row.overTokens;
  return at;
}

const unpackSpend = (numbers: Float64Array, at: number, words: readonly string[]): SpendRow => ({
  tenant: numbers[at]!,
  hour: numbers[at + 1]!,
  agent: words[numbers[at + 2]!]!,
  root: numbers[at + 3]!,
  what: words[numbers[at + 4]!]!,
  microUsd: numbers[at + 5]!,
  tokens: numbers[at + 6]!,
  toolCalls: numbers[at + 7]!,
  calls: numbers[at + 8]!,
  unpriced: numbers[at + 9]!,
  overMicroUsd: numbers[at + 10]!,
  overTokens: numbers[at + 11]!,
});
