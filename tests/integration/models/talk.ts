// A model for tests that says what it is told to say, one answer after another.

import {
  type ModelDriver,
  type Progress,
  SysError,
  type SyscallArgs,
  type ToolCall,
} from "@aos/protocol";

export interface Saying {
  readonly text?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly tokens?: number;
  /** How much it takes in, as it says itself. */
  readonly window?: number;
  readonly fails?: boolean;
}

export const say = (text: string): Saying => ({ text });

export interface Talkative extends ModelDriver {
  readonly asked: SyscallArgs<"infer">[];
  says(...answers: Saying[]): void;
}

const USUAL_TOKENS = 10;

export function talkative(provider = "talk"): Talkative {
  const asked: SyscallArgs<"infer">[] = [];
  const answers: Saying[] = [];
  return {
    provider,
    egress: false,
    asked,
    says: (...more) => void answers.push(...more),
    worstCase: () => ({ usd: 1, tokens: 2_000_000 }),
    async infer(request, context: { progress: (delta: Progress) => void }) {
      asked.push(request);
      const answer = answers.shift();
      if (answer === undefined || answer.fails === true)
        throw new SysError("EUPSTREAM", "it was told to fail");
      const { text = "", toolCalls = [], tokens = USUAL_TOKENS, window } = answer;
      context.progress({ kind: "text", text });
      return {
        text,
        toolCalls,
        finish: toolCalls.length > 0 ? "tool" : "stop",
        usage: { inputTokens: tokens, outputTokens: 1 },
        ...(window === undefined ? {} : { context: { tokens, window } }),
        usd: 0.5,
      };
    },
  };
}
