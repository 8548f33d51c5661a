// Range model: a model server that reports the usage and prices an attack tells it to, and counts its requests.

import type { InferReply, ModelDriver } from "@aos/protocol";

export class RangeModel implements ModelDriver {
  readonly provider = "range";
  readonly egress = false;
  /** The worst-case cost of a request. */
  worst = { usd: 0.25, tokens: 100 };
  /** The reported cost of an answer. */
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
