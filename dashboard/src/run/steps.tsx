// The steps of a run, one line each; a line opens to its records. Which one is open is in the address.

import { Collapsible } from "radix-ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { memo, useCallback, useEffect, useRef } from "react";
import { ColourMark, labelColour } from "../parts/marks.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { formatCount, formatDuration, formatUsd } from "../parts/format.ts";
import { useWindowed } from "../parts/windowed.ts";
import { StepDetail } from "./step-detail.tsx";
import type { TimelineStep } from "./timeline.ts";
import { VerdictMark } from "./verdict-mark.tsx";

const ROW_PX = 41;

export function Steps({ pid, steps }: { pid: string; steps: readonly TimelineStep[] }) {
  const { seq: open } = useSearch({ from: "/runs/$pid" });
  const navigate = useNavigate({ from: "/runs/$pid" });
  const onOpen = useCallback(
    (seq: number | undefined) =>
      void navigate({ search: (before) => ({ ...before, seq }) as never, replace: true }),
    [navigate],
  );
  const list = useRef<HTMLOListElement>(null);
  const { shown, before, after, measure, scrollTo } = useWindowed(list, {
    count: steps.length,
    rowPx: ROW_PX,
  });
  useOpened(
    steps.findIndex(({ seq }) => seq === open),
    scrollTo,
  );
  if (steps.length === 0) return <EmptyState title="No records yet" />;

  const start = steps[0]!.at;
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sheet">
      <ol ref={list} aria-label="Steps" style={{ paddingTop: before, paddingBottom: after }}>
        {shown.map((index) => {
          const step = steps[index];
          return step === undefined ? null : (
            <StepLine
              key={step.seq}
              isOpen={step.seq === open}
              {...{ pid, step, start, index, measure, onOpen }}
            />
          );
        })}
      </ol>
    </div>
  );
}

/** Drawn again only when it has changed: while a list is scrolled, most lines stay. */
const StepLine = memo(function StepLine(props: {
  pid: string;
  step: TimelineStep;
  /** When the run began. */
  start: number;
  index: number;
  isOpen: boolean;
  measure: ((row: Element | null) => void) | undefined;
  onOpen: (seq: number | undefined) => void;
}) {
  const { pid, step, start, index, isOpen, measure, onOpen } = props;
  return (
    <Collapsible.Root
      asChild
      open={isOpen}
      onOpenChange={(opens) => onOpen(opens ? step.seq : undefined)}
    >
      <li ref={measure} data-index={index} className="border-b border-line last:border-b-0">
        <Collapsible.Trigger className="grid w-full grid-cols-[1fr_auto] items-baseline gap-x-4 px-4 py-2.5 text-left -outline-offset-2 hover:bg-raised/60 data-[state=open]:bg-raised/60 sm:grid-cols-[3.5rem_minmax(0,1fr)_auto]">
          <span className="figures hidden text-xs text-faint sm:block">
            +{formatDuration(step.at - start)}
          </span>
          <What step={step} />
          <Came step={step} />
        </Collapsible.Trigger>
        <Collapsible.Content>
          <StepDetail pid={pid} step={step} />
        </Collapsible.Content>
      </li>
    </Collapsible.Root>
  );
});

/** The step that the address names is on the screen at first. */
function useOpened(index: number, scrollTo: (index: number) => void): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (index === -1 || isDone.current) return;
    isDone.current = true;
    scrollTo(index);
  });
}

function What({ step }: { step: TimelineStep }) {
  const about = step.err !== null && step.kind === "call" ? step.err.message : step.about;
  return (
    <span className="flex min-w-0 flex-col gap-x-3 sm:flex-row sm:items-baseline">
      <span
        className={
          step.kind === "call"
            ? "shrink-0 font-mono text-[13px] font-medium"
            : "shrink-0 text-[13px] font-medium text-soft"
        }
      >
        {step.name}
      </span>
      <span className="min-w-0 truncate text-[13px] text-soft">{about}</span>
    </span>
  );
}

/** Verdict, what it has read from here on, and what it cost. */
function Came({ step }: { step: TimelineStep }) {
  const colour = step.label === null ? undefined : labelColour(step.label);
  const spent =
    step.usd > 0 ? formatUsd(step.usd) : step.tokens > 0 ? `${formatCount(step.tokens)} tok` : "";
  return (
    <span className="flex flex-col items-end gap-x-4 text-[13px] sm:flex-row sm:items-baseline">
      {colour === undefined ? null : <ColourMark colour={colour} label={step.label!} />}
      {spent === "" ? null : <span className="figures text-soft">{spent}</span>}
      {step.verdict === null ? null : <VerdictMark verdict={step.verdict} />}
    </span>
  );
}
