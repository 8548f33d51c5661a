// AnswerBook: what the daemons of a test home have answered, and whether each answer kept its contract. They
// write it down themselves (tests/helpers/answer-preload.mjs).
//
// ANSWER-BOOK-1  A home that had a daemon has a book: a daemon that nobody watched is a failure, not a
//     pass.

import { existsSync, readFileSync } from "node:fs";

const PRELOAD = new URL("../helpers/answer-preload.mjs", import.meta.url).href;

/** A daemon that began to keep it, or one answer. */
type Line =
  | { readonly watching: number }
  | { readonly operation: string; readonly status: number; readonly problems: readonly string[] };

export class AnswerBook {
  /** What a daemon needs to keep it. */
  readonly env: { readonly NODE_OPTIONS: string; readonly AOS_ANSWER_BOOK: string };
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    const before = process.env["NODE_OPTIONS"];
    const options = [...(before === undefined ? [] : [before]), `--import=${PRELOAD}`];
    this.env = { NODE_OPTIONS: options.join(" "), AOS_ANSWER_BOOK: file };
  }

  #lines(): readonly Line[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Line);
  }

  /** Throws what was off its contract. */
  check(given: { readonly hadDaemon: boolean }): void {
    const lines = this.#lines();
    if (given.hadDaemon && !lines.some((line) => "watching" in line))
      throw new Error("nobody watched the answers of this home's daemon"); // ANSWER-BOOK-1
    const wrong = lines.flatMap((line) => ("problems" in line ? line.problems : []));
    if (wrong.length > 0) throw new Error(`off the contract:\n${wrong.join("\n")}`);
  }
}
