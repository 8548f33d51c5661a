// Overview: what waits for a person, what runs, what failed, and what it costs.

import type { ProcessInfo } from "@aos/protocol/words";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { questions, runs as runsQuery, status } from "../api/queries.ts";
import { queue } from "../api/reports.ts";
import { EmptyState, CommandLine } from "../parts/empty-state.tsx";
import { FactItem, FactNote, Facts } from "../parts/facts.tsx";
import { formatCount } from "../parts/format.ts";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";
import { RunTable } from "../runs/run-table.tsx";
import { treeOf } from "../runs/tree.ts";
import { StartButton } from "../start/start-button.tsx";
import { Spending } from "./spending.tsx";
import { Waiting } from "./waiting.tsx";

/** What is listed of each kind. */
const SHOWN = 8;

export function OverviewPage() {
  const { data: runPages } = useInfiniteQuery(runsQuery);
  const all = runPages?.pages.flat();
  return (
    <View title="Overview" actions={<StartButton />}>
      {all?.length === 0 ? (
        <EmptyState title="No runs yet">
          Start an agent here, or at a terminal:{" "}
          <CommandLine>aos run examples/hello hi</CommandLine>
        </EmptyState>
      ) : null}
      <Figures />
      <Waiting most={SHOWN} />
      <Spending />
      {all === undefined || all.length === 0 ? null : <RecentRuns all={all} />}
    </View>
  );
}

function Figures() {
  const { data: report } = useQuery(status);
  const { data: queued } = useQuery(queue);
  const { data: asked } = useQuery(questions);
  if (report === undefined) return null;
  const states = report.states as Partial<Record<ProcessInfo["state"], number>>;
  const waits = Object.values(queued?.queued ?? {}).reduce((sum, each) => sum + each, 0);
  return (
    <Facts>
      <FactItem name="Asks you">
        <Link to="/approvals" className="hover:underline">
          {asked?.length ?? 0}
        </Link>
      </FactItem>
      <FactItem name="Running">{formatCount(states.running ?? 0)}</FactItem>
      <FactItem name="Waiting">{formatCount(states.waiting ?? 0)}</FactItem>
      <FactItem name="Queued">
        {formatCount(waits)}
        {queued === undefined ? null : <FactNote>of {formatCount(queued.queueLimit)}</FactNote>}
      </FactItem>
      <FactItem name="Failed">
        <Link to="/runs" search={{ show: "failed" }} className="hover:underline">
          {formatCount((states.failed ?? 0) + (states.killed ?? 0))}
        </Link>
      </FactItem>
      <FactItem name="Completed">{formatCount(states.completed ?? 0)}</FactItem>
    </Facts>
  );
}

function RecentRuns({ all }: { all: readonly ProcessInfo[] }) {
  const live = all.filter(({ endedAt }) => endedAt === null);
  const failed = all.filter(({ state }) => state === "failed" || state === "killed");
  return (
    <>
      {live.length === 0 ? null : (
        <Section title="Live">
          <RunTable branches={treeOf(live).slice(0, SHOWN)} />
          {live.length > SHOWN ? (
            <Link to="/runs" search={{ show: "live" }} className="text-[13px] text-soft">
              All {live.length}
            </Link>
          ) : null}
        </Section>
      )}
      {failed.length === 0 ? null : (
        <Section title="Failed lately">
          <RunTable branches={treeOf(failed).slice(0, SHOWN)} />
        </Section>
      )}
      <Section title="Latest">
        <RunTable branches={treeOf(all).slice(0, SHOWN)} />
      </Section>
    </>
  );
}
