// The table of runs. A row is a link; the arrows go from row to row.
//
// RUN-TABLE-1  Of the live runs that are drawn the present state is requested regularly: a run may begin to wait, or to
//     ask, without a record.

import { isEnded } from "@aos/protocol/words";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, type KeyboardEvent } from "react";
import { LOOK_AGAIN_MS } from "../api/queries.ts";
import { refreshRuns } from "../api/run-list.ts";
import { useNow } from "../parts/clock.ts";
import { StateMark } from "../parts/marks.tsx";
import { formatAge, formatDuration, formatUsd, shortId } from "../parts/format.ts";
import { useWindowed } from "../parts/windowed.ts";
import type { Branch } from "./tree.ts";

const ROW_PX = 42;
const COLUMNS = 6;

/** Deeper than this, the rest of a row would have no room. */
const DEEPEST_INDENT = 6;
const INDENT_REM = 1.25;

const head = "px-3 py-2 text-left text-xs font-medium text-faint first:pl-4 last:pr-4";
const cell = "px-3 py-2.5 align-baseline first:pl-4 last:pr-4";

export function RunTable(props: {
  branches: readonly Branch[];
  /** When the last row is drawn. */
  onEnd?: () => void;
}) {
  const { branches, onEnd } = props;
  const now = useNow();
  const body = useRef<HTMLTableSectionElement>(null);
  const { shown, before, after, measure } = useWindowed(body, {
    count: branches.length,
    rowPx: ROW_PX,
  });
  const drawn = shown.flatMap((index) => branches[index] ?? []);
  useRefreshed(drawn.filter(({ run }) => !isEnded(run.state)).map(({ run }) => run.pid));
  const isAtEnd = shown.at(-1) === branches.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, branches.length, onEnd]);
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sheet">
      <table
        className="w-full border-collapse"
        aria-rowcount={branches.length + 1}
        onKeyDown={walk}
      >
        <thead className="border-b border-line">
          <tr>
            <th className={head}>Agent</th>
            <th className={`${head} hidden sm:table-cell`}>State</th>
            <th className={`${head} hidden lg:table-cell`}>Lane</th>
            <th className={`${head} text-right`}>Spend</th>
            <th className={`${head} hidden text-right md:table-cell`}>Took</th>
            <th className={`${head} text-right`}>Since</th>
          </tr>
        </thead>
        <tbody ref={body}>
          <Space px={before} />
          {shown.map((index) => {
            const branch = branches[index];
            return branch === undefined ? null : (
              <Row key={branch.run.pid} {...{ branch, now, index, measure }} />
            );
          })}
          <Space px={after} />
        </tbody>
      </table>
    </div>
  );
}

/** RUN-TABLE-1. */
function useRefreshed(pids: readonly string[]): void {
  const current = useRef(pids);
  useEffect(() => {
    current.current = pids;
  });
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && current.current.length > 0)
        refreshRuns(current.current).catch(() => {}); // the connection says that it is lost
    }, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
}

const Space = ({ px }: { px: number }) =>
  px === 0 ? null : (
    <tr aria-hidden="true">
      <td colSpan={COLUMNS} style={{ height: px, padding: 0 }} />
    </tr>
  );

function Row(props: {
  branch: Branch;
  now: number;
  index: number;
  measure: ((row: Element | null) => void) | undefined;
}) {
  const { now, index, measure } = props;
  const { run, depth } = props.branch;
  const startedAt = Date.parse(run.startedAt);
  const tookMs = (run.endedAt === null ? now : Date.parse(run.endedAt)) - startedAt;
  const indent = Math.min(depth, DEEPEST_INDENT) * INDENT_REM;
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      className="relative border-b border-line last:border-b-0 hover:bg-raised/60 has-[a:focus-visible]:bg-raised"
    >
      <td className={cell}>
        <div className="flex flex-col gap-0.5" style={{ paddingLeft: `${indent}rem` }}>
          <span className="flex flex-wrap items-baseline gap-x-2.5">
            <span className="flex gap-1.5">
              {depth === 0 ? null : (
                <span className="text-faint" aria-hidden="true">
                  └
                </span>
              )}
              <Link
                to="/runs/$pid"
                params={{ pid: run.pid }}
                data-row=""
                className="font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
              >
                {run.agent}
              </Link>
            </span>
            <span className="font-mono text-xs text-faint" title={run.pid}>
              {shortId(run.pid)}
            </span>
          </span>
          <span className="text-[13px] text-soft sm:hidden">
            <StateMark state={run.state} waitingOn={run.waitingOn} />
          </span>
        </div>
      </td>
      <td className={`${cell} hidden text-soft sm:table-cell`}>
        <StateMark state={run.state} waitingOn={run.waitingOn} />
      </td>
      <td className={`${cell} hidden text-soft lg:table-cell`}>{run.lane}</td>
      <td className={`${cell} figures text-right whitespace-nowrap text-soft`}>
        {formatUsd(run.costUsd)}
      </td>
      <td className={`${cell} figures hidden text-right whitespace-nowrap text-soft md:table-cell`}>
        {run.endedAt === null ? formatAge(tookMs) : formatDuration(tookMs)}
      </td>
      <td className={`${cell} figures text-right whitespace-nowrap text-soft`}>
        <time dateTime={run.startedAt} title={new Date(startedAt).toLocaleString()}>
          {formatAge(now - startedAt)}
        </time>
      </td>
    </tr>
  );
}

function walk(event: KeyboardEvent<HTMLTableElement>): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("a[data-row]")];
  const next = rows[rows.indexOf(document.activeElement as HTMLElement) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
