// LiveParagraphs: the output of an agent while it is produced, one paragraph for each request to its model.
//
//   for await (const happening of kernel.attach(pid)) yield* paragraphs.take(happening)
//   yield* paragraphs.rest(all)
//
// LIVE-PARAGRAPHS-1  Output of a request is sent once everything that led to the request is durable.
// LIVE-PARAGRAPHS-2  The output of a summary request is not sent. It follows the call that looks up where the summary
//     is stored.
// LIVE-PARAGRAPHS-3  Sent output cannot be taken back. If a try fails, its paragraph is broken off, and the next try
//     starts a new one.
// LIVE-PARAGRAPHS-4  At the end everything has been sent in order: a paragraph whose beginning was missed is sent whole
//     once it is recorded.

import { ARCHIVE, type CallRecord, type JournalRecord, type OperationAnswer } from "@aos/protocol";

export type ParagraphEvent =
  | { readonly words: string }
  /** The paragraph is at its end, or will never be whole. */
  | { readonly end: "whole" | "broken" };

export class LiveParagraphs {
  /** What was said in a call that is recorded. */
  readonly #recall: (n: number) => Promise<string>;
  readonly #whole: string[] = [];
  readonly #waiting = new Map<number, string>();
  /** Calls whose beginning was not heard. */
  readonly #missed = new Set<number>();
  readonly #recorded = new Set<number>();
  /** Calls 1 to this are recorded. */
  #upTo = 0;
  #summary: number | undefined;
  #open: { readonly n: number; text: string } | undefined;

  constructor(recall: (n: number) => Promise<string>) {
    this.#recall = recall;
  }

  async *take(happening: OperationAnswer<"attach">): AsyncGenerator<ParagraphEvent> {
    if ("record" in happening) return yield* this.#record(happening.record);
    const { n, kind, text, at = 0 } = happening.progress;
    if (kind === "reasoning") return;
    if (kind === "restart") {
      this.#waiting.delete(n);
      this.#missed.delete(n);
      if (this.#open?.n === n) yield* this.#close("broken"); // LIVE-PARAGRAPHS-3
      return;
    }
    const isNew = !this.#waiting.has(n) && this.#open?.n !== n;
    if (isNew && at > 0) this.#missed.add(n); // LIVE-PARAGRAPHS-4
    if (this.#missed.has(n)) return;
    this.#waiting.set(n, (this.#waiting.get(n) ?? "") + text);
    yield* this.#tell();
  }

  /** LIVE-PARAGRAPHS-4. `all` are the paragraphs as they are recorded. */
  *rest(all: readonly string[]): Generator<ParagraphEvent> {
    if (this.#open !== undefined) yield* this.#close("broken");
    let heard = 0;
    for (const text of all) {
      const found = this.#whole.indexOf(text, heard);
      if (found !== -1) heard = found + 1;
      else yield* [{ words: text }, { end: "whole" } as const];
    }
  }

  async *#record(record: JournalRecord): AsyncGenerator<ParagraphEvent> {
    if (record.kind !== "call" && record.kind !== "intent") return;
    this.#recorded.add(record.n);
    while (this.#recorded.delete(this.#upTo + 1)) this.#upTo += 1;
    if (record.kind === "intent") return;
    if (isLook(record)) this.#summary = record.n + 1;
    yield* this.#tell();
    if (this.#open?.n === record.n)
      yield* this.#close(record.err === undefined ? "whole" : "broken");
    else if (record.call === "infer" && record.err === undefined) yield* this.#repeat(record.n);
  }

  /** LIVE-PARAGRAPHS-4. */
  async *#repeat(n: number): AsyncGenerator<ParagraphEvent> {
    if (n === this.#summary) return;
    const words = await this.#recall(n);
    if (words === "") return;
    this.#open = { n, text: words };
    yield { words };
    yield* this.#close("whole");
  }

  /** LIVE-PARAGRAPHS-1. */
  *#tell(): Generator<ParagraphEvent> {
    for (const [n, text] of this.#waiting) {
      if (this.#upTo < n - 1) continue;
      this.#waiting.delete(n);
      if (n === this.#summary) continue; // LIVE-PARAGRAPHS-2
      if (this.#open !== undefined && this.#open.n !== n) yield* this.#close("whole");
      this.#open ??= { n, text: "" };
      this.#open.text += text;
      yield { words: text };
    }
  }

  *#close(end: "whole" | "broken"): Generator<ParagraphEvent> {
    if (end === "whole" && this.#open !== undefined) this.#whole.push(this.#open.text);
    this.#open = undefined;
    yield { end };
  }
}

const isLook = ({ call, args }: CallRecord): boolean =>
  call === "list" && (args as { path?: unknown } | null)?.path === ARCHIVE;
