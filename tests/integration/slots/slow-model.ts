// A model that answers when the test says so, whatever is asked of it.

import type { ModelDriver } from "@aos/protocol";
import { until } from "../../helpers/kernel.ts";

interface Request {
  readonly model: string;
  readonly tenant: string;
  readonly signal: AbortSignal;
  readonly answer: (text?: string) => void;
  readonly fail: (failure: unknown) => void;
}

type Reply = Awaited<ReturnType<ModelDriver["infer"]>>;

const replyOf = (text: string): Reply => ({
  text,
  toolCalls: [],
  finish: "stop",
  usage: { inputTokens: 20, outputTokens: 30 },
  usd: 0.005,
});

export function slowModel() {
  const requests: Request[] = [];
  const driver: ModelDriver = {
    provider: "slow",
    egress: false,
    worstCase: () => ({ usd: 0.01, tokens: 100 }),
    infer: ({ model }, { tenant, signal }) => {
      const { promise, resolve, reject } = Promise.withResolvers<Reply>();
      const answer = (text = "fine") => resolve(replyOf(text));
      requests.push({ model, tenant, signal, answer, fail: reject });
      return promise;
    },
  };
  return {
    driver,
    requests,
    /** The request with this number, once it has come; the first is 0. */
    request: async (index: number): Promise<Request> => {
      await until(() => requests.length > index, `request ${index}`);
      return requests[index]!;
    },
  };
}

export const ask = (model = "slow/one") => ({
  model,
  messages: [{ role: "user" as const, content: "?" }],
});
