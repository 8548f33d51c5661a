// LiveOutput: on a terminal, what an agent says as it says it, and between its words one line that says
// what it does.
//
//   live.take(happening)          of `attach`
//   live.rest("the result", true) what of the result is to be printed still
//
// LIVE-OUTPUT-1  Words are shown once: of a result whose beginning stands on the terminal that it is
//     printed on, only the rest is. What goes anywhere else is printed whole.
// LIVE-OUTPUT-2  They are shown as they can do no harm to a terminal (printable.ts).
// LIVE-OUTPUT-4  Words whose beginning was missed are not shown: the result is printed whole, and once.
// LIVE-OUTPUT-3  Nothing comes between words: what was done before them may be recorded while they are
//     said.

import type { OperationAnswer } from "@aos/protocol";
import type { JournalRecord } from "@aos/protocol/words";
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

  constructor(write: (text: string) => void, { showsWords }: { showsWords: boolean }) {
    this.#write = write;
    this.#showsWords = showsWords;
  }

  take(happening: OperationAnswer<"attach">): void {
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
    this.#status(
      `${record.seq}  ${"call" in record ? `${record.call} ${JSON.stringify(record.args)}` : record.kind}`,
    );
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
