// FROZEN with version 1 of `converse`, which uses version 3 of `agent` (both never change).
//
// Turn: the input and output of `converse`.

import type { Message, SyscallArgs, ToolCall, ToolOffer } from "@aos/protocol";

type InferArgs = SyscallArgs<"infer">;

export interface Turn {
  /** The conversation so far, without words to the system; the last is to be answered. */
  readonly messages: readonly Message[];
  /** The caller's own words to the system; they stand after the agent's. */
  readonly instructions?: string;
  /** Tools that the caller runs. */
  readonly tools?: readonly ToolOffer[];
  /** One of the caller's tools has to be called. */
  readonly mustCall?: boolean;
  /** The caller runs one at a time. */
  readonly oneCall?: boolean;
  /** At most what the manifest says. */
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly effort?: NonNullable<InferArgs["effort"]>;
  /** What the answer is to fit, where the manifest does not say. */
  readonly schema?: Record<string, unknown>;
}

export interface TurnResult {
  /** The answer: its words, or its JSON where it has a schema. Empty where calls are handed over. */
  readonly text: string;
  /** `tool`: the caller has calls to make. `length`: cut off at the limit of tokens. */
  readonly finish: "stop" | "tool" | "length";
  readonly calls: readonly ToolCall[];
  /** All that was added to the conversation: the agent's own calls and what came of them too. */
  readonly said: readonly Message[];
}
