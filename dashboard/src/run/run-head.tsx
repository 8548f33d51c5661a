// The head of a run: who it is, how it stands, what it has spent, what it has read.

import { Link } from "@tanstack/react-router";
import { colours, isEnded, type Label, type ProcessDetail } from "@aos/protocol/words";
import { useNow } from "../parts/clock.ts";
import { CopyId } from "../parts/copy-id.tsx";
import { FactItem, FactLine, FactNote, Facts } from "../parts/facts.tsx";
import { ColourMark, StateMark } from "../parts/marks.tsx";
import { formatAge, formatAgo, formatCount, formatDuration, formatUsd } from "../parts/format.ts";
import { RunLink } from "../parts/run-link.tsx";
import { Title } from "../parts/title.tsx";
import { PastActs } from "./past-acts.tsx";
import { Signals } from "./signals.tsx";

export function RunHead({ run }: { run: ProcessDetail }) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="flex min-w-0 flex-col gap-1">
          <Title tab={`${run.agent} ${run.state}`}>{run.agent}</Title>
          <CopyId id={run.pid} />
        </div>
        {isEnded(run.state) ? <PastActs run={run} /> : <Signals run={run} />}
      </div>
      <Figures run={run} />
    </div>
  );
}

function Figures({ run }: { run: ProcessDetail }) {
  const now = useNow();
  const startedAt = Date.parse(run.startedAt);
  const { limit, spent } = run.budget;
  return (
    <Facts>
      <FactItem name="State">
        <StateMark state={run.state} waitingOn={run.waitingOn} />
        {run.exitCode === null || run.exitCode === 0 ? null : (
          <FactNote>exit code {run.exitCode}</FactNote>
        )}
      </FactItem>
      <FactItem name="Has read">
        <ColourMark colour={colours[run.labels.integrity]} />
        <FactNote>{sayLabel(run.labels)}</FactNote>
      </FactItem>
      <FactItem name="Spend">
        {formatUsd(spent.usd)}
        {limit.usd === undefined ? null : <FactNote>of {formatUsd(limit.usd)}</FactNote>}
      </FactItem>
      <FactItem name="Tokens">
        {formatCount(spent.tokens)}
        {limit.tokens === undefined ? null : <FactNote>of {formatCount(limit.tokens)}</FactNote>}
      </FactItem>
      <FactItem name="Lane">
        {run.lane}
        {run.place === null ? null : <FactNote>{run.place}. in the queue</FactNote>}
      </FactItem>
      <FactItem name={run.endedAt === null ? "Since" : "Took"}>
        <time dateTime={run.startedAt} title={new Date(startedAt).toLocaleString()}>
          {run.endedAt === null
            ? formatAge(now - startedAt)
            : formatDuration(Date.parse(run.endedAt) - startedAt)}
        </time>
        {run.endedAt === null ? null : (
          <FactNote>{formatAgo(now - Date.parse(run.endedAt))}</FactNote>
        )}
      </FactItem>
      <Origin run={run} />
    </Facts>
  );
}

/** Where it comes from, where it did not begin by itself. */
function Origin({ run: { pid, parent, forkedFrom } }: { run: ProcessDetail }) {
  if (parent === null && forkedFrom === null) return null;
  const from = parent ?? forkedFrom!.pid;
  return (
    <FactLine name="Origin">
      {parent === null ? `A fork, after record ${forkedFrom!.at}, of ` : "Started by "}
      <RunLink pid={from} />
      {parent !== null ? null : (
        <Link
          to="/compare"
          search={{ a: from, b: pid }}
          className="ml-4 underline decoration-line underline-offset-2 hover:text-ink"
        >
          Compare the two
        </Link>
      )}
    </FactLine>
  );
}

const sayLabel = ({ integrity, secrecy, tags = [] }: Label): string =>
  [`${integrity}, ${secrecy}`, ...tags.map((tag) => `#${tag}`)].join(" ");
