// PackedBatch: a commit as it goes from one thread to another. Numbers go as one array and hashes as
// another, so that what has to be copied is little more than the texts themselves.

import type { Extension, Write } from "../contract.ts";

const NUMBERS = 11;
const HASH_BYTES = 32;

export interface PackedBatch {
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly hashes: Uint8Array<ArrayBuffer>;
  readonly texts: string[];
  /** The writes of the extensions that have any, by their place in the batch. */
  readonly writes: (readonly [place: number, writes: readonly Write[]])[];
}

export function pack(extensions: readonly Extension[]): PackedBatch {
  const count = extensions.reduce((sum, extension) => sum + extension.records.length, 0);
  const numbers = new Float64Array(extensions.length * NUMBERS);
  const hashes = new Uint8Array(count * HASH_BYTES);
  const texts: string[] = [];
  const writes: [number, readonly Write[]][] = [];
  let at = 0;
  for (let place = 0; place < extensions.length; place++) {
    const extension = extensions[place]!;
    const { records } = extension;
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
    for (const { text, hash } of records) {
      hashes.set(hash, texts.length * HASH_BYTES);
      texts.push(text);
    }
    if (extension.writes.length > 0) writes.push([place, extension.writes]);
  }
  return { numbers, hashes, texts, writes };
}

export function unpack({ numbers, hashes, texts, writes }: PackedBatch): Extension[] {
  const writesAt = new Map(writes);
  const extensions: Extension[] = [];
  let text = 0;
  for (let at = 0; at < numbers.length; at += NUMBERS) {
    const records = Array.from({ length: numbers[at + 10]! }, () => {
      const hash = hashes.subarray(text * HASH_BYTES, (text + 1) * HASH_BYTES);
      return { text: texts[text++]!, hash };
    });
    extensions.push({
      process: numbers[at]!,
      pid: "", // of use to the one who packed it only
      tenant: numbers[at + 1]!,
      epoch: numbers[at + 2]!,
      at: numbers[at + 3]!,
      firstSeq: numbers[at + 4]!,
      microUsd: numbers[at + 5]!,
      tokens: numbers[at + 6]!,
      toolCalls: numbers[at + 7]!,
      overMicroUsd: numbers[at + 8]!,
      overTokens: numbers[at + 9]!,
      records,
      writes: [...(writesAt.get(extensions.length) ?? [])],
    });
  }
  return extensions;
}
