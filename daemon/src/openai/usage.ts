// Usage: the tokens of a run's own requests, and their cost.

import type { Kernel } from "@aos/kernel";
import type { ProcessId } from "@aos/protocol";

export interface RunUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  readonly usd: number;
}

export async function usageOf(
  kernel: Pick<Kernel, "inferences" | "show">,
  pid: ProcessId,
): Promise<RunUsage> {
  const replies = (await kernel.inferences(pid)).flatMap(({ reply }) => reply?.usage ?? []);
  const sum = (of: (usage: (typeof replies)[number]) => number | undefined): number =>
    replies.reduce((total, usage) => total + (of(usage) ?? 0), 0);
  return {
    input: sum((usage) => usage.inputTokens),
    output: sum((usage) => usage.outputTokens),
    cached: sum((usage) => usage.cachedTokens),
    reasoning: sum((usage) => usage.reasoningTokens),
    usd: (await kernel.show(pid)).costUsd,
  };
}

export const chatUsage = ({ input, output, cached, reasoning, usd }: RunUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
  cost_usd: usd,
});

export const responseUsage = ({ input, output, cached, reasoning, usd }: RunUsage) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
  input_tokens_details: { cached_tokens: cached },
  output_tokens_details: { reasoning_tokens: reasoning },
  cost_usd: usd,
});
