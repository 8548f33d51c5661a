// ToolUse: a tool call of an answer, folded: the tool, what it was given, what came of it.

import { formatDuration } from "../parts/format.ts";
import { ColourMark, labelColour } from "../parts/marks.tsx";
import { ValueView } from "../parts/value.tsx";
import { StepWhy } from "./step-why.tsx";
import { inLine, type TimelineStep } from "./timeline.ts";
import { VerdictMark } from "./verdict-mark.tsx";

export function ToolUseView(props: {
  pid: string;
  tool: string;
  args: unknown;
  step: TimelineStep | undefined;
}) {
  const { pid, tool, args, step } = props;
  const colour = step === undefined || step.label === null ? undefined : labelColour(step.label);
  const refused = step?.err ?? null;
  return (
    <details className="group rounded-md border border-line bg-ground">
      <summary className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-3 px-3 py-2 text-[13px] -outline-offset-2 hover:bg-raised/60">
        <span className="font-mono font-medium">{tool}</span>
        <span className="truncate text-soft">{refused?.message ?? inLine(args)}</span>
        <span className="flex items-baseline gap-3">
          {colour === undefined ? null : <ColourMark colour={colour} label={step!.label!} />}
          {step?.tookMs === null || step === undefined ? null : (
            <span className="figures text-faint">{formatDuration(step.tookMs)}</span>
          )}
          {step === undefined ? (
            <span className="text-faint">not carried out</span>
          ) : step.verdict === null ? null : (
            <VerdictMark verdict={step.verdict} />
          )}
        </span>
      </summary>
      <div className="flex flex-col gap-3 border-t border-line px-3 py-3">
        <ValueView of={args} />
        {refused === null ? (
          resultOf(step) === undefined ? null : (
            <ValueView of={resultOf(step)} />
          )
        ) : (
          <p className="text-[13px]">
            <span className="mr-2 font-mono font-medium text-bad">{refused.code}</span>
            {refused.message} {refused.hint}
          </p>
        )}
        {step === undefined ? null : <StepWhy pid={pid} seq={step.records.at(-1)!.seq} />}
      </div>
    </details>
  );
}

function resultOf(step: TimelineStep | undefined): unknown {
  const last = step?.records.at(-1);
  return last !== undefined && "ok" in last ? last.ok : undefined;
}
