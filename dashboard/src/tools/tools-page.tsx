// Tools: what agents can call, the MCP servers that some of it comes from, and skills; each with its health.

import type { McpServerReport, SkillReport, ToolReport } from "@aos/protocol/words";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { mcpServers, skills, tools } from "../api/reports.ts";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { CommandLine, EmptyState } from "../parts/empty-state.tsx";
import { formatCount, formatDuration } from "../parts/format.ts";
import { inputStyle } from "../parts/field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";

const toolColumns: readonly TableColumn<ToolReport>[] = [
  {
    name: "Tool",
    cell: ({ name, description, deprecated }) => (
      <span className="flex flex-col">
        <span className="font-mono text-[13px] font-medium">{name}</span>
        <span className="text-[13px] text-soft">
          {deprecated === null ? description : `Deprecated: ${deprecated}`}
        </span>
      </span>
    ),
  },
  { name: "From", from: "md", cell: ({ source }) => source },
  { name: "Effect", from: "sm", cell: ({ effect }) => effect },
  { name: "Calls", isNumber: true, cell: ({ calls }) => formatCount(calls) },
  { name: "Failed", isNumber: true, cell: ({ failures }) => formatCount(failures) },
  {
    name: "p95",
    isNumber: true,
    from: "lg",
    cell: ({ p95Ms }) => (p95Ms === null ? "–" : formatDuration(p95Ms)),
  },
];

const serverColumns: readonly TableColumn<McpServerReport>[] = [
  { name: "Server", cell: ({ name }) => <span className="font-medium">{name}</span> },
  { name: "State", cell: ({ state }) => state },
  { name: "Tools", isNumber: true, cell: ({ tools: names }) => names.length },
];

const skillColumns: readonly TableColumn<SkillReport>[] = [
  {
    name: "Skill",
    cell: ({ name, description }) => (
      <span className="flex flex-col">
        <span className="font-medium">{name}</span>
        <span className="text-[13px] text-soft">{description}</span>
      </span>
    ),
  },
  { name: "From", from: "sm", cell: ({ source }) => source },
  { name: "Problems", isNumber: true, cell: ({ problems }) => problems.length },
];

export function ToolsPage() {
  const { find = "" } = useSearch({ from: "/tools" });
  const navigate = useNavigate({ from: "/tools" });
  const listed = useQuery(tools);
  const servers = useQuery(mcpServers);
  const known = useQuery(skills);
  const fits = ({ name, description, tags }: ToolReport) =>
    `${name} ${description} ${tags.join(" ")}`.toLowerCase().includes(find.trim().toLowerCase());
  return (
    <View title="Tools">
      <input
        type="search"
        value={find}
        aria-label="Find a tool"
        placeholder="Find a tool"
        className={`${inputStyle} max-w-sm`}
        onChange={({ target }) =>
          void navigate({
            search: target.value === "" ? {} : { find: target.value },
            replace: true,
          })
        }
      />
      <Loaded query={listed}>
        {(rows) => (
          <DataTable
            label="Tools"
            columns={toolColumns}
            rows={rows.filter(fits)}
            keyOf={({ name }) => name}
          />
        )}
      </Loaded>
      <Section title="MCP servers">
        <Loaded query={servers}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState title="No MCP servers">
                <CommandLine>aos mcp add NAME -- COMMAND</CommandLine>
              </EmptyState>
            ) : (
              <DataTable
                label="MCP servers"
                columns={serverColumns}
                rows={rows}
                keyOf={({ name }) => name}
              />
            )
          }
        </Loaded>
      </Section>
      <Section title="Skills">
        <Loaded query={known}>
          {(rows) => (
            <DataTable
              label="Skills"
              columns={skillColumns}
              rows={rows}
              keyOf={({ name }) => name}
            />
          )}
        </Loaded>
      </Section>
    </View>
  );
}
