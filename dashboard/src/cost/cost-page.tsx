// Cost: where the money and the tokens went, and what is left of the budgets.

import type { BudgetReport, CostGroup, CostRow } from "@aos/protocol/words";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { cost } from "../api/reports.ts";
import { Bar } from "../parts/bar.tsx";
import { Chips } from "../parts/chips.tsx";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { formatCount, formatUsd } from "../parts/format.ts";
import { Loaded } from "../parts/loaded.tsx";
import { RunLink } from "../parts/run-link.tsx";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";
import { costGroups, costSpans, sinceOf, type CostSpan } from "./cost-choices.ts";

export function CostPage() {
  const { by = "agent", span = "all" } = useSearch({ from: "/cost" });
  const navigate = useNavigate({ from: "/cost" });
  const query = useQuery(cost(by, sinceOf(span)));
  const choose = (change: { by?: CostGroup; span?: CostSpan }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <View title="Cost">
      <div className="flex flex-wrap justify-between gap-3">
        <Chips
          label="By"
          choices={costGroups}
          value={by}
          onChoose={(value) => choose({ by: value })}
        />
        <Chips
          label="Since"
          choices={costSpans}
          value={span}
          onChoose={(value) => choose({ span: value })}
        />
      </div>
      <Loaded query={query}>
        {({ rows, total, rule, budgets }) => (
          <>
            {rows.length === 0 ? (
              <EmptyState title="Nothing was spent">No call of a model or a tool yet.</EmptyState>
            ) : (
              <DataTable
                label={`Cost by ${by}`}
                columns={columnsOf(by, rows)}
                rows={[...rows, total]}
                keyOf={({ key }) => key}
              />
            )}
            <Budgets of={budgets} />
            <p className="max-w-3xl text-xs leading-5 text-faint">{rule}</p>
          </>
        )}
      </Loaded>
    </View>
  );
}

function columnsOf(by: CostGroup, rows: readonly CostRow[]): readonly TableColumn<CostRow>[] {
  const inMoney = rows.some(({ usd }) => usd > 0);
  const weigh = ({ usd, tokens }: CostRow) => (inMoney ? usd : tokens);
  const whole = Math.max(...rows.map(weigh));
  return [
    {
      name: by,
      cell: ({ key }) => (by === "tree" && key !== "total" ? <RunLink pid={key} /> : key),
    },
    {
      name: inMoney ? "Money" : "Tokens, compared",
      from: "md",
      cell: (row) => (row.key === "total" ? null : <Bar part={weigh(row)} whole={whole} />),
    },
    { name: "USD", isNumber: true, cell: ({ usd }) => formatUsd(usd) },
    { name: "Tokens", isNumber: true, cell: ({ tokens }) => formatCount(tokens) },
    { name: "Tools", isNumber: true, from: "sm", cell: ({ toolCalls }) => formatCount(toolCalls) },
    {
      name: "Unpriced",
      isNumber: true,
      from: "lg",
      cell: ({ unpriced }) => (unpriced === 0 ? "–" : formatCount(unpriced)),
    },
  ];
}

function Budgets({ of }: { of: readonly BudgetReport[] }) {
  if (of.length === 0) return null;
  const amount = (unit: BudgetReport["unit"], value: number) =>
    unit === "usd" ? formatUsd(value) : formatCount(value);
  const columns: readonly TableColumn<BudgetReport>[] = [
    { name: "Budget", cell: ({ of: whose, per }) => `${whose}, per ${per}` },
    {
      name: "Used",
      from: "sm",
      cell: ({ spent, reserved, limit }) => <Bar part={spent + reserved} whole={limit} />,
    },
    { name: "Spent", isNumber: true, cell: ({ unit, spent }) => amount(unit, spent) },
    {
      name: "Reserved",
      isNumber: true,
      from: "md",
      cell: ({ unit, reserved }) => amount(unit, reserved),
    },
    { name: "Limit", isNumber: true, cell: ({ unit, limit }) => amount(unit, limit) },
  ];
  return (
    <Section title="Budgets">
      <DataTable
        label="Budgets"
        columns={columns}
        rows={of}
        keyOf={(row) => `${row.of} ${row.per} ${row.unit}`}
      />
    </Section>
  );
}
