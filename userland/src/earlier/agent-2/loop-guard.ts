// FROZEN with version 2 of `agent` (see agent.ts beside it).
//
// Loop guard: a model that calls the same tool with the same arguments again and again is told so, and
// then stopped.

import { canonicalText, SysError, type ToolCall } from "@aos/protocol";

const WARN_AT = 3;
const STOP_AT = 5;

export class LoopGuard {
  #last = "";
  #inARow = 0;

  /** Counts these calls before they run. Returns a warning for the model; throws when it is too late. */
  note(calls: readonly ToolCall[]): string | undefined {
    let warning: string | undefined;
    for (const { tool, args } of calls) {
      const call = `${tool} ${canonicalText(args)}`;
      this.#inARow = call === this.#last ? this.#inARow + 1 : 1;
      this.#last = call;
      if (this.#inARow === STOP_AT) throw repeatsItself(tool);
      if (this.#inARow === WARN_AT) warning = warningFor(tool);
    }
    return warning;
  }
}

const warningFor = (tool: string): string =>
  `You have called ${tool} ${WARN_AT} times in a row with the same arguments. ` +
  "Another call like it will not tell you more: try something else, or answer with what you have.";

const repeatsItself = (tool: string): SysError =>
  new SysError(
    "EUPSTREAM",
    `the model repeats itself: it called ${tool} ${STOP_AT} times in a row with the same arguments`,
    { hint: "say in the system prompt when to stop, or take another model" },
  );
