// Overview: what waits for a person, what runs, what failed, and what it costs.

import type { ProcessInfo } from "@aos/protocol/words";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { questions, status } from "../api/queries.ts";
import { queue } from "../api/reports.ts";
import { runList, type RunFilter } from "../api/run-list.ts";
import { EmptyState, CommandLine } from "../parts/empty-state.tsx";
import { FactItem, FactNote, Facts } from "../parts/facts.tsx";
import { formatCount } from "../parts/format.ts";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";
import { runFilters, type FilterName } from "../runs/filters.ts";
import { RunTable } from "../runs/run-table.tsx";
import { treeOf } from "../runs/tree.ts";
import { StartButton } from "../start/start-button.tsx";
import { Spending } from "./spending.tsx";
import { Waiting } from "./waiting.tsx";

/** What is listed of each kind. */
const SHOWN = 8;

export function OverviewPage() {
  const { data: all } = useQuery(runList());
  return (
    <View title="Overview" actions={<StartButton />}>
      {all?.rows.length === 0 ? (
        <EmptyState title="No runs yet">
          Start an agent here, or at a terminal:{" "}
          <CommandLine>aos run examples/hello hi</CommandLine>
        </EmptyState>
      ) : null}
      <Figures />
      <Waiting most={SHOWN} />
      <Spending />
      <RecentRuns title="Live" filter={runFilters.live} show="live" />
      <RecentRuns title="Failed lately" filter={runFilters.failed} show="failed" />
      <RecentRuns title="Latest" filter={runFilters.all} />
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

function RecentRuns(props: { title: string; filter: RunFilter; show?: FilterName }) {
  const { data } = useQuery(runList(props.filter));
  if (data === undefined || data.rows.length === 0) return null;
  const { rows, hasOlder } = data;
  return (
    <Section title={props.title}>
      <RunTable branches={treeOf(rows).slice(0, SHOWN)} />
      {rows.length > SHOWN && props.show !== undefined ? (
        <Link to="/runs" search={{ show: props.show }} className="text-[13px] text-soft">
          All {hasOlder ? "of them" : formatCount(rows.length)}
        </Link>
      ) : null}
    </Section>
  );
}
