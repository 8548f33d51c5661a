// Range model: a model server that reports whatever an attack has it report, and counts how often it was asked.

import type { InferReply, ModelDriver } from "@aos/protocol";

export class RangeModel implements ModelDriver {
  readonly provider = "range";
  readonly egress = false;
  /** What a request is said to cost at most. */
  worst = { usd: 0.25, tokens: 100 };
  /** What it says that an answer has cost. */
  reports = { usd: 0.25, inputTokens: 40, outputTokens: 60 };
  asked = 0;

  worstCase(): { usd: number; tokens: number } {
    return this.worst;
  }

  async infer(): Promise<InferReply & { usd: number }> {
    this.asked += 1;
    const { usd, ...usage } = this.reports;
    return { text: "done", toolCalls: [], finish: "stop", usage, usd };
  }
}
