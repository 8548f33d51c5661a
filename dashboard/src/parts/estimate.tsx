// Estimate: what something may cost, before it is done.

import type { EstimateReport } from "@aos/protocol/words";
import { FactItem, FactNote, Facts } from "./facts.tsx";
import { formatCount, formatUsd } from "./format.ts";

export function Estimate({ of }: { of: EstimateReport }) {
  const { usual, high, limit, runs, notes } = of;
  return (
    <div className="flex flex-col gap-2">
      <Facts>
        <FactItem name="Usually">
          {usual === null ? "unknown" : formatUsd(usual.usd)}
          {usual === null ? null : <FactNote>{formatCount(usual.tokens)} tokens</FactNote>}
        </FactItem>
        <FactItem name="At the high end">
          {high === null ? "unknown" : formatUsd(high.usd)}
          {high === null ? null : <FactNote>{formatCount(high.tokens)} tokens</FactNote>}
        </FactItem>
        <FactItem name="Never more than">
          {limit.usd === null ? "no limit" : formatUsd(limit.usd)}
          {limit.tokens === null ? null : <FactNote>{formatCount(limit.tokens)} tokens</FactNote>}
        </FactItem>
      </Facts>
      <p className="text-xs text-faint">
        By {runs} earlier {runs === 1 ? "run" : "runs"} of the agent. {notes.join(". ")}
      </p>
    </div>
  );
}
