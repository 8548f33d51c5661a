// Agents: what can be started by name, with its models, tools and grants, and its latest runs.

import type { AgentReport } from "@aos/protocol/words";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { agents } from "../api/reports.ts";
import { runList } from "../api/run-list.ts";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { CommandLine, EmptyState } from "../parts/empty-state.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { View } from "../parts/view.tsx";
import { StartButton } from "../start/start-button.tsx";

export function AgentsPage() {
  const query = useQuery(agents);
  const { data } = useQuery(runList());
  const countOf = (name: string) => {
    const count = data?.rows.filter(({ agent }) => agent === name).length ?? 0;
    return data?.hasOlder === true && count > 0 ? `${count}+` : count;
  };
  const columns: readonly TableColumn<AgentReport>[] = [
    {
      name: "Agent",
      cell: ({ name, description }) => (
        <span className="flex flex-col">
          <Link to="/agents/$name" params={{ name }} className="font-medium hover:underline">
            {name}
          </Link>
          <span className="text-[13px] text-soft">{description}</span>
        </span>
      ),
    },
    { name: "Models", from: "md", cell: ({ models }) => <Mono of={models} /> },
    { name: "Tools", isNumber: true, from: "sm", cell: ({ tools }) => tools.length },
    { name: "Runs", isNumber: true, cell: ({ name }) => countOf(name) },
  ];
  return (
    <View
      title="Agents"
      lead="Started by name: of this home, and built in. An agent of a project is started in its folder."
      actions={<StartButton />}
    >
      <Loaded query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No agents by name yet">
              <CommandLine>aos init hello ~/.aos/agents/hello</CommandLine>
            </EmptyState>
          ) : (
            <DataTable label="Agents" columns={columns} rows={rows} keyOf={({ name }) => name} />
          )
        }
      </Loaded>
    </View>
  );
}

const Mono = ({ of }: { of: readonly string[] }) => (
  <span className="font-mono text-xs">{of.join(", ")}</span>
);
