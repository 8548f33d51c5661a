// A model that costs money, and counts what it has really cost.

import type { ModelDriver } from "@aos/protocol";

export const WORST_USD = 0.01;

export interface PricedModel extends ModelDriver {
  /** What all of its answers cost so far. */
  readonly spent: () => number;
}

/** Each answer costs some of the worst case, and takes a moment. `onSpent` is called after each. */
export function pricedModel(
  more: { onSpent?: (spent: number) => void; usd?: () => number | null; ms?: () => number } = {},
): PricedModel {
  let [nth, spent] = [0, 0];
  const { usd = () => (WORST_USD * (1 + (nth++ % 10))) / 10, ms = () => nth % 4 } = more;
  return {
    provider: "priced",
    egress: false,
    worstCase: ({ model }) => ({ usd: model === "priced/unknown" ? null : WORST_USD, tokens: 100 }),
    infer: async ({ model }, { signal }) => {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms());
        signal.addEventListener("abort", () => clearTimeout(timer));
      });
      const cost = model === "priced/unknown" ? null : usd();
      spent += cost ?? 0;
      more.onSpent?.(spent);
      return {
        text: "done",
        toolCalls: [],
        finish: "stop",
        usage: { inputTokens: 20, outputTokens: 30 },
        usd: cost,
      };
    },
    measure: ({ model, messages }) => ({
      tokens: messages.reduce((sum, { content }) => sum + content.length, 0),
      card: {
        model,
        window: 1000,
        maxOutputTokens: 100,
        price:
          model === "priced/unknown"
            ? null
            : { input: 1000, output: 2000, date: "2027-01-01", source: "made up" },
      },
    }),
    spent: () => spent,
  };
}

export const ask = (model = "priced/x") => ({
  model,
  messages: [{ role: "user" as const, content: "?" }],
});
