// LiveOutput: on a terminal, the streamed text of an agent and, between its paragraphs, one status line.
//
//   live.take(happening)          of `attach`
//   live.rest("the result", true) the part of the result that is still to be printed
//
// LIVE-OUTPUT-1  Text is shown once: if the beginning of a result is already on the same terminal, only the rest is
//                printed. Elsewhere the result is printed whole.
// LIVE-OUTPUT-2  Text is escaped so that it cannot control the terminal (printable.ts).
// LIVE-OUTPUT-4  Text whose beginning was missed is not shown: the result is printed whole, once.
// LIVE-OUTPUT-5  While it is paused nothing is written; what comes is shown after that.
// LIVE-OUTPUT-3  No status line interrupts a text: earlier actions may be recorded while text is streamed.

import type { OperationAnswer } from "@aos/protocol";
import type { JournalRecord } from "@aos/protocol/words";
import { callWords } from "./call-words.ts";
import { printable } from "./printable.ts";

const CLEAR_LINE = "\r\u001b[2K";
const MOST_CHARS = 78;

export class LiveOutput {
  readonly #write: (text: string) => void;
  readonly #showsWords: boolean;
  /** What stands in the last line of the terminal. */
  #line: "nothing" | "status" | "words" = "nothing";
  /** The call whose words they are, and the words. */
  #call: number | undefined;
  #said = "";
  #isPaused = false;
  readonly #kept: OperationAnswer<"attach">[] = [];

  constructor(write: (text: string) => void, { showsWords }: { showsWords: boolean }) {
    this.#write = write;
    this.#showsWords = showsWords;
  }

  /** LIVE-OUTPUT-5. */
  pause(): void {
    this.#clear();
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const happening of this.#kept.splice(0)) this.take(happening);
  }

  take(happening: OperationAnswer<"attach">): void {
    if (this.#isPaused) return void this.#kept.push(happening);
    if ("record" in happening) return this.#record(happening.record);
    if (!this.#showsWords) return;
    const { kind, text, n, at } = happening.progress;
    if (kind === "restart") return this.#restart(n);
    if (kind === "reasoning") return this.#status(`thinking: ${oneLine(text)}`);
    if (n !== this.#call) this.#begin(n);
    if (at !== undefined && at !== this.#said.length) return this.#missedSome(); // LIVE-OUTPUT-4
    if (this.#line !== "words") this.#clear();
    this.#line = "words";
    this.#said += text;
    this.#write(printable(text)); // LIVE-OUTPUT-2
  }

  /** LIVE-OUTPUT-1. */
  rest(result: string, isSameTerminal: boolean): string {
    if (this.#isPaused) this.resume();
    const isThere = isSameTerminal && this.#line === "words" && result.startsWith(this.#said);
    if (!isThere) this.#clear();
    if (!isThere) return result;
    const rest = result.slice(this.#said.length);
    return result.endsWith("\n") ? rest : `${rest}\n`;
  }

  /** LIVE-OUTPUT-4. */
  #missedSome(): void {
    if (this.#line !== "words") this.#status("it speaks");
  }

  #begin(call: number): void {
    if (this.#line === "words") this.#clear();
    this.#call = call;
    this.#said = "";
  }

  /** What was said is void: the model is asked again. */
  #restart(call: number): void {
    if (call === this.#call && this.#said !== "") this.#begin(call);
  }

  #record(record: JournalRecord): void {
    if (record.kind === "end") return; // what was said last may be its result
    // LIVE-OUTPUT-3
    const isEarlier = "n" in record && this.#call !== undefined && record.n <= this.#call;
    if (this.#line === "words" && isEarlier) return;
    if (record.kind === "outcome") return; // of a call that is shown already
    this.#status(`${record.seq}  ${oneLine(callWords(record))}`);
  }

  #status(text: string): void {
    this.#clear();
    this.#write(printable(text).slice(0, MOST_CHARS));
    this.#line = "status";
  }

  #clear(): void {
    if (this.#line !== "nothing") this.#write(this.#line === "words" ? "\n" : CLEAR_LINE);
    this.#line = "nothing";
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");
