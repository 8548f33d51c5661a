// The head of a run: who it is, how it stands, what it has spent, what it has read.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { colours, isEnded, type Label, type ProcessDetail } from "@aos/protocol/words";
import { useNow } from "../parts/clock.ts";
import { CopyId } from "../parts/copy-id.tsx";
import { ColourMark, StateMark } from "../parts/marks.tsx";
import {
  formatAge,
  formatAgo,
  formatCount,
  formatDuration,
  formatUsd,
  shortId,
} from "../parts/format.ts";
import { Title } from "../parts/title.tsx";
import { Signals } from "./signals.tsx";

export function RunHead({ run }: { run: ProcessDetail }) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="flex min-w-0 flex-col gap-1">
          <Title tab={`${run.agent} ${run.state}`}>{run.agent}</Title>
          <CopyId id={run.pid} />
        </div>
        {isEnded(run.state) ? null : <Signals run={run} />}
      </div>
      <Facts run={run} />
    </div>
  );
}

function Facts({ run }: { run: ProcessDetail }) {
  const now = useNow();
  const startedAt = Date.parse(run.startedAt);
  const { limit, spent } = run.budget;
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
      <Fact name="State">
        <StateMark state={run.state} waitingOn={run.waitingOn} />
        {run.exitCode === null || run.exitCode === 0 ? null : <More>exit code {run.exitCode}</More>}
      </Fact>
      <Fact name="Has read">
        <ColourMark colour={colours[run.labels.integrity]} />
        <More>{sayLabel(run.labels)}</More>
      </Fact>
      <Fact name="Spend">
        {formatUsd(spent.usd)}
        {limit.usd === undefined ? null : <More>of {formatUsd(limit.usd)}</More>}
      </Fact>
      <Fact name="Tokens">
        {formatCount(spent.tokens)}
        {limit.tokens === undefined ? null : <More>of {formatCount(limit.tokens)}</More>}
      </Fact>
      <Fact name="Lane">
        {run.lane}
        {run.place === null ? null : <More>{run.place}. in the queue</More>}
      </Fact>
      <Fact name={run.endedAt === null ? "Since" : "Took"}>
        <time dateTime={run.startedAt} title={new Date(startedAt).toLocaleString()}>
          {run.endedAt === null
            ? formatAge(now - startedAt)
            : formatDuration(Date.parse(run.endedAt) - startedAt)}
        </time>
        {run.endedAt === null ? null : <More>{formatAgo(now - Date.parse(run.endedAt))}</More>}
      </Fact>
      <Origin run={run} />
    </dl>
  );
}

/** Where it comes from, where it did not begin by itself. */
function Origin({ run: { parent, forkedFrom } }: { run: ProcessDetail }) {
  if (parent === null && forkedFrom === null) return null;
  const from = parent ?? forkedFrom!.pid;
  return (
    <div className="col-span-full bg-sheet px-4 py-2.5 text-[13px] text-soft">
      {parent === null ? `A fork, after record ${forkedFrom!.at}, of ` : "Started by "}
      <Link
        to="/runs/$pid"
        params={{ pid: from }}
        className="font-mono text-xs underline underline-offset-2 hover:text-ink"
        title={from}
      >
        {shortId(from)}
      </Link>
    </div>
  );
}

const sayLabel = ({ integrity, secrecy, tags = [] }: Label): string =>
  [`${integrity}, ${secrecy}`, ...tags.map((tag) => `#${tag}`)].join(" ");

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1 bg-sheet px-4 py-3">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="figures flex flex-col">{children}</dd>
    </div>
  );
}

const More = ({ children }: { children: ReactNode }) => (
  <span className="text-xs text-faint">{children}</span>
);
