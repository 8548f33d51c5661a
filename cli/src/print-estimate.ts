// PrintEstimate: prints an estimate.

import type { EstimateReport, Spend } from "@aos/protocol";
import { money } from "./money.ts";
import type { Output } from "./output.ts";
import { facts } from "./table.ts";

export const printEstimate = (out: Output, report: EstimateReport): Promise<void> =>
  out.data(report, () => {
    const { of, contextTokens, contextUsd, runs, usual, high, limit, notes } = report;
    return [
      facts([
        ["of", of],
        ["first request", contextTokens === null ? "unknown" : inTokens(contextTokens, contextUsd)],
        ["usual", spent(usual)],
        ["high", spent(high)],
        ["by", `the last ${runs} ${runs === 1 ? "run" : "runs"}`],
        ["at most", bound(limit)],
      ]),
      ...notes.map((note) => `- ${note}`),
    ].join("\n");
  });

const inTokens = (tokens: number, usd: number | null): string =>
  `${tokens} tokens, ${usd === null ? "price unknown" : money(usd)}`;

const spent = (spend: Spend | null): string =>
  spend === null
    ? "unknown"
    : `${money(spend.usd)}, ${spend.tokens} tokens, ${spend.toolCalls} tool calls`;

function bound({ usd, tokens }: EstimateReport["limit"]): string {
  const parts = [
    ...(usd === null ? [] : [money(usd)]),
    ...(tokens === null ? [] : [`${tokens} tokens`]),
  ];
  return parts.length === 0 ? "no limit" : parts.join(", ");
}
