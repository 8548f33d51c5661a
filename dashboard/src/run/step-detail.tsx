// A step in full: what was asked, what came of it, why, and its records as they are kept.

import { useState } from "react";
import type { JournalRecord } from "@aos/protocol/words";
import { formatCount, formatDuration, formatUsd } from "../parts/format.ts";
import { ValueView } from "../parts/value.tsx";
import { Part } from "./part.tsx";
import { StepWhy } from "./step-why.tsx";
import type { TimelineStep } from "./timeline.ts";

export function StepDetail({ pid, step }: { pid: string; step: TimelineStep }) {
  const [isRaw, show] = useState(false);
  const { args, result } = partsOf(step.records);
  return (
    <div className="flex flex-col gap-4 border-t border-line px-4 py-4 sm:pl-[5.5rem]">
      <p className="figures flex flex-wrap gap-x-5 gap-y-1 text-[13px] text-soft">
        <span>
          {step.records.length === 1 ? "Record" : "Records"} {seqs(step.records)}
        </span>
        <span>{new Date(step.at).toLocaleString()}</span>
        {step.tookMs === null ? null : <span>took {formatDuration(step.tookMs)}</span>}
        {step.usd === 0 ? null : <span>{formatUsd(step.usd)}</span>}
        {step.tokens === 0 ? null : <span>{formatCount(step.tokens)} tokens</span>}
      </p>
      {step.err === null ? null : (
        <Part name={step.verdict === "refused" ? "Refused" : "Error"}>
          <p>
            <span className="mr-2 font-mono text-[13px] font-medium text-bad">{step.err.code}</span>
            {step.err.message}
          </p>
          {step.err.hint === undefined ? null : <p className="text-soft">{step.err.hint}</p>}
        </Part>
      )}
      {step.remark === null ? null : (
        <Part name="Verdict">
          <p>{step.remark}</p>
        </Part>
      )}
      {args === undefined ? null : (
        <Part name={step.kind === "call" ? "Asked" : "What"}>
          <ValueView of={args} />
        </Part>
      )}
      {result === undefined ? null : (
        <Part name="Result">
          <ValueView of={result} />
        </Part>
      )}
      {step.kind === "call" ? <StepWhy pid={pid} seq={step.records.at(-1)!.seq} /> : null}
      <div className="flex flex-col gap-2">
        <button
          type="button"
          aria-expanded={isRaw}
          className="self-start text-[13px] text-soft underline underline-offset-2 hover:text-ink"
          onClick={() => show(!isRaw)}
        >
          {isRaw ? "Hide" : "Show"} the {step.records.length === 1 ? "record" : "records"} as kept
        </button>
        {isRaw ? (
          <ValueView of={step.records.length === 1 ? step.records[0] : step.records} />
        ) : null}
      </div>
    </div>
  );
}

const seqs = (records: readonly JournalRecord[]): string =>
  records.map(({ seq }) => seq).join(", ");

function partsOf(records: readonly JournalRecord[]): { args?: unknown; result?: unknown } {
  const parts: { args?: unknown; result?: unknown } = {};
  for (const record of records) {
    if (record.kind === "call" || record.kind === "intent") parts.args = record.args;
    if (record.kind === "start") parts.args = record.input;
    if (record.kind === "grant") parts.args = record.capabilities;
    if ("ok" in record) parts.result = record.ok;
    if (record.kind === "end" && record.output !== undefined) parts.result = record.output;
  }
  return parts;
}
