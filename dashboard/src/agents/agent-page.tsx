// One agent: its manifest's grants, what it was granted since, and its runs.

import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { GrantForm } from "../access/grant-form.tsx";
import { HoldingList } from "../access/holding-list.tsx";
import { agents, cost, holdingsOf } from "../api/reports.ts";
import { runList } from "../api/run-list.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { FactItem, FactNote, Facts } from "../parts/facts.tsx";
import { formatCount, formatUsd } from "../parts/format.ts";
import { Loaded } from "../parts/loaded.tsx";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";
import { RunTable } from "../runs/run-table.tsx";
import { treeOf } from "../runs/tree.ts";
import { StartButton } from "../start/start-button.tsx";

export function AgentPage() {
  const { name } = useParams({ from: "/agents/$name" });
  const { data: list } = useQuery(agents);
  const power = useQuery(holdingsOf({ agent: name }));
  const report = list?.find((agent) => agent.name === name);
  return (
    <View title={name} lead={report?.description} actions={<StartButton agent={name} />}>
      <Figures name={name} />
      {report === undefined ? null : (
        <Section title="Its manifest grants">
          <ul className="rounded-lg border border-line bg-sheet px-4 py-3 font-mono text-xs leading-5">
            {report.capabilities.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Granted to all of its runs">
        <Loaded query={power}>
          {({ holdings }) =>
            holdings.length === 0 ? (
              <EmptyState title="Nothing was granted beyond its manifest" />
            ) : (
              <HoldingList holdings={holdings} />
            )
          }
        </Loaded>
        <GrantForm to={{ agent: name }} />
      </Section>
      <Runs name={name} />
    </View>
  );
}

function Figures({ name }: { name: string }) {
  const { data } = useQuery(cost("agent", null));
  const row = data?.rows.find(({ key }) => key === name);
  return (
    <Facts>
      <FactItem name="Spent">
        {formatUsd(row?.usd ?? 0)}
        {(row?.unpriced ?? 0) === 0 ? null : <FactNote>{row!.unpriced} calls unpriced</FactNote>}
      </FactItem>
      <FactItem name="Tokens">{formatCount(row?.tokens ?? 0)}</FactItem>
      <FactItem name="Tool calls">{formatCount(row?.toolCalls ?? 0)}</FactItem>
    </Facts>
  );
}

function Runs({ name }: { name: string }) {
  const { data } = useQuery(runList({ find: name }));
  const runs = data?.rows.filter(({ agent }) => agent === name) ?? [];
  if (runs.length === 0) return null;
  return (
    <Section title="Runs">
      <RunTable branches={treeOf(runs)} />
    </Section>
  );
}
