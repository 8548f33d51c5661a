// RedoRow: what a commit adds to chains and to spend, as one row: numbers, and the words that they speak of.

import { SysError } from "@aos/protocol/failures";
import { hasNoCost, type SpendRow } from "../spend-row.ts";
import type { ChainExtension } from "./chain-rows.ts";
import { NumberReader, NumberWriter } from "./compact-numbers.ts";
import { Words } from "./words.ts";

export interface StoredRedoRow {
  /** The first place of a record in it. */
  readonly pos: number;
  /** The beginning of the time that is counted from. */
  readonly at: number;
  readonly numbers: Uint8Array;
  readonly words: string;
}

export class RedoRow {
  readonly #numbers = new NumberWriter();
  #words = new Words();
  #pos = 0;
  #at = 0;

  get isEmpty(): boolean {
    return this.#numbers.isEmpty;
  }

  add(move: ChainExtension, spend: readonly SpendRow[]): void {
    if (this.isEmpty) [this.#pos, this.#at] = [move.pos, move.at];
    const numbers = this.#numbers;
    const isPaid = !hasNoCost(move);
    numbers.write(2 * spend.length + (isPaid ? 1 : 0));
    numbers.write(move.process);
    numbers.write(move.epoch);
    numbers.write(move.after);
    numbers.write(move.seq - move.after);
    numbers.write(move.pos - this.#pos);
    numbers.write(move.at - this.#at);
    numbers.write(move.bytes);
    numbers.write(move.toolCalls);
    if (isPaid) {
      numbers.write(move.microUsd);
      numbers.write(move.tokens);
      numbers.write(move.overMicroUsd);
      numbers.write(move.overTokens);
    }
    for (const row of spend) this.#addSpend(row, move.process);
  }

  #addSpend(row: SpendRow, process: number): void {
    const numbers = this.#numbers;
    const isPaid = !hasNoCost(row) || row.unpriced !== 0;
    numbers.write(isPaid ? 1 : 0);
    numbers.write(row.tenant);
    numbers.write(this.#at - row.hour);
    numbers.write(this.#words.placeOf(row.agent));
    numbers.write(process - row.root);
    numbers.write(this.#words.placeOf(row.what));
    numbers.write(Math.floor(row.toolCalls));
    numbers.write(row.calls);
    if (!isPaid) return;
    numbers.write(Math.floor(row.microUsd));
    numbers.write(Math.floor(row.tokens));
    numbers.write(row.unpriced);
    numbers.write(row.overMicroUsd);
    numbers.write(row.overTokens);
  }

  /** Good until something is added. It is empty then. */
  take(): StoredRedoRow {
    const words = JSON.stringify(this.#words.all);
    this.#words = new Words();
    return { pos: this.#pos, at: this.#at, numbers: this.#numbers.take(), words };
  }

  clear(): void {
    this.#numbers.clear();
    this.#words = new Words();
  }
}

type Take = (move: ChainExtension, spend: readonly SpendRow[]) => void;

/** Gives what a row has, in the order in which it was added. */
export function readRedoRow(row: StoredRedoRow, take: Take): void {
  try {
    readRow(row, take);
  } catch (error) {
    throw new SysError("ECORRUPT", `what was committed last cannot be read: ${String(error)}`, {
      hint: "a row of the table `redo` was changed: restore a backup",
    });
  }
}

function readRow({ pos, at, numbers, words }: StoredRedoRow, take: Take): void {
  const from = new NumberReader(numbers);
  const named = JSON.parse(words) as readonly string[];
  while (!from.isAtEnd) {
    const first = from.read();
    const isPaid = first % 2 === 1;
    const process = from.read();
    const epoch = from.read();
    const after = from.read();
    const move: ChainExtension = {
      process,
      epoch,
      after,
      seq: after + from.read(),
      pos: pos + from.read(),
      at: at + from.read(),
      bytes: from.read(),
      toolCalls: from.read(),
      microUsd: isPaid ? from.read() : 0,
      tokens: isPaid ? from.read() : 0,
      overMicroUsd: isPaid ? from.read() : 0,
      overTokens: isPaid ? from.read() : 0,
    };
    const spend: SpendRow[] = [];
    for (let left = first >> 1; left > 0; left--) spend.push(readSpend(from, named, at, process));
    take(move, spend);
  }
}

function readSpend(
  from: NumberReader,
  words: readonly string[],
  at: number,
  process: number,
): SpendRow {
  const isPaid = from.read() === 1;
  return {
    tenant: from.read(),
    hour: at - from.read(),
    agent: wordOf(words, from.read()),
    root: process - from.read(),
    what: wordOf(words, from.read()),
    toolCalls: from.read(),
    calls: from.read(),
    microUsd: isPaid ? from.read() : 0,
    tokens: isPaid ? from.read() : 0,
    unpriced: isPaid ? from.read() : 0,
    overMicroUsd: isPaid ? from.read() : 0,
    overTokens: isPaid ? from.read() : 0,
  };
}

function wordOf(words: readonly string[], place: number): string {
  const word = words[place];
  if (typeof word !== "string") throw new RangeError(`no word ${place}`);
  return word;
}
