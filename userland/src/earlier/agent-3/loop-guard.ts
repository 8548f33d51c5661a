// FROZEN with version 3 of `agent` (see agent.ts beside it).
//
// Loop guard: detects a model that repeats the same calls with the same arguments (a cycle of one, two or three
// calls), warns it, and then stops it.
//
// LOOP-GUARD-1  The third round produces a hint; the fifth ends the agent before the call runs.
// LOOP-GUARD-2  `message.receive` is not counted: waiting for messages is no repetition.

import { canonicalText, type ToolCall } from "@aos/protocol";

const WARN_AT = 3;
const STOP_AT = 5;
const LONGEST_ROUND = 3;
const MEANT_TO_REPEAT: ReadonlySet<string> = new Set(["message.receive"]);

interface Made {
  readonly tool: string;
  readonly text: string;
}

export interface Repetition {
  readonly isOver: boolean;
  /** For the model. */
  readonly hint: string;
}

export class LoopGuard {
  #made: Made[] = [];

  /** Counts these calls before they run; says whether they go round in a circle. */
  note(calls: readonly ToolCall[]): Repetition | undefined {
    let found: Repetition | undefined;
    for (const { tool, args } of calls) {
      if (MEANT_TO_REPEAT.has(tool)) continue;
      this.#made.push({ tool, text: `${tool} ${canonicalText(args)}` });
      this.#made = this.#made.slice(-LONGEST_ROUND * STOP_AT);
      found = this.#repetition() ?? found;
      if (found?.isOver === true) return found;
    }
    return found;
  }

  /** Somebody else goes on: what was made before is not theirs. */
  forget(): void {
    this.#made = [];
  }

  #repetition(): Repetition | undefined {
    for (let length = 1; length <= LONGEST_ROUND; length++) {
      const same = this.#sameAsBefore(length);
      const rounds = same / length + 1;
      const isOver = rounds >= STOP_AT;
      if (rounds !== WARN_AT && !isOver) continue;
      const tools = this.#made.slice(-length).map(({ tool }) => tool);
      return { isOver, hint: hintFor(tools, Math.floor(rounds)) };
    }
    return undefined;
  }

  /** How many of the last calls are each the same as the one a round before. */
  #sameAsBefore(length: number): number {
    let same = 0;
    for (let at = this.#made.length - 1; at >= length; at--) {
      if (this.#made[at]!.text !== this.#made[at - length]!.text) break;
      same += 1;
    }
    return same;
  }
}

const hintFor = (tools: readonly string[], rounds: number): string =>
  `You have called ${tools.join(", then ")} ${rounds} times in a row with the same arguments. ` +
  "Another call like it will not tell you more: try something else, or answer with what you have.";
