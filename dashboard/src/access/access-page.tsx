// Access: who may do something? Every agent that can be started by name and every live run is looked at; a chain that
// speaks of the words that were typed is shown whole.

import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { agents, holdingsOf } from "../api/reports.ts";
import { runList } from "../api/run-list.ts";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { inputStyle } from "../parts/field.tsx";
import { RunLink } from "../parts/run-link.tsx";
import { View } from "../parts/view.tsx";
import { runFilters } from "../runs/filters.ts";
import { holdersOf, type CapabilityHolder } from "./holders.ts";

/** Live runs that are asked about, the newest: each is a request. */
const MOST_RUNS = 50;

const columns: readonly TableColumn<CapabilityHolder>[] = [
  {
    name: "Who",
    cell: ({ agent, pid }) => (pid === null ? agent : <RunLink pid={pid}>{agent}</RunLink>),
  },
  { name: "May", cell: ({ text }) => <span className="font-mono text-xs break-all">{text}</span> },
  {
    name: "Through",
    from: "md",
    cell: ({ through }) => <span className="text-[13px] text-soft">{through}</span>,
  },
];

export function AccessPage() {
  const { what = "" } = useSearch({ from: "/access" });
  const navigate = useNavigate({ from: "/access" });
  const { data: named = [] } = useQuery(agents);
  const { data: living } = useQuery(runList(runFilters.live));
  const live = living?.rows.slice(0, MOST_RUNS) ?? [];
  const powers = useQueries({ queries: live.map(({ pid }) => holdingsOf({ pid })) });
  const holders = holdersOf({
    agents: named,
    powers: powers.flatMap(({ data }) => (data === undefined ? [] : [data])),
    what,
  });
  return (
    <View
      title="Access"
      lead="Who may reach a host, a path, a tool? Agents by their manifest, live runs by all that they hold."
    >
      <input
        type="search"
        value={what}
        aria-label="What may be done"
        placeholder="api.example.com, /work, shell, model"
        className={`${inputStyle} max-w-xl`}
        onChange={({ target }) =>
          void navigate({
            search: target.value === "" ? {} : { what: target.value },
            replace: true,
          })
        }
      />
      {holders.length === 0 ? (
        <EmptyState title="Nobody">
          No agent by name and no live run holds a capability with these words.
        </EmptyState>
      ) : (
        <DataTable
          label="Who may"
          columns={columns}
          rows={holders}
          keyOf={({ pid, agent, text, through }) => `${pid ?? agent} ${text} ${through}`}
        />
      )}
    </View>
  );
}
