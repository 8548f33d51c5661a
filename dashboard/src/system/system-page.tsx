// System: whether everything is as it should be, what the sandbox enforces, the queues and the tenants.

import type { DoctorCheck, TenantReport } from "@aos/protocol/words";
import { useQuery } from "@tanstack/react-query";
import { status } from "../api/queries.ts";
import { doctor, queue, tenantList } from "../api/reports.ts";
import { Ago } from "../parts/ago.tsx";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { FactItem, FactLine, FactNote, Facts } from "../parts/facts.tsx";
import { formatCount, formatUsd } from "../parts/format.ts";
import { Loaded } from "../parts/loaded.tsx";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";

const checkColumns: readonly TableColumn<DoctorCheck>[] = [
  {
    name: "Check",
    cell: (check) => (
      <span className="flex items-baseline gap-2 whitespace-nowrap">
        <Sign check={check} />
        {check.name}
      </span>
    ),
  },
  {
    name: "Finding",
    cell: ({ detail, hint }) => (
      <span className="flex flex-col text-soft">
        {detail}
        {hint === undefined ? null : <span className="text-[13px] text-faint">{hint}</span>}
      </span>
    ),
  },
];

/** What is optional and missing is no failure. */
const Sign = ({ check: { ok, isOptional } }: { check: DoctorCheck }) =>
  ok ? (
    <span className="font-medium text-good">✓</span>
  ) : isOptional === true ? (
    <span className="font-medium text-faint">–</span>
  ) : (
    <span className="font-medium text-bad">✗</span>
  );

const tenantColumns: readonly TableColumn<TenantReport>[] = [
  { name: "Tenant", cell: ({ name }) => <span className="font-medium">{name}</span> },
  {
    name: "Runs",
    isNumber: true,
    cell: ({ states }) =>
      formatCount(Object.values(states).reduce<number>((sum, each) => sum + (each ?? 0), 0)),
  },
  { name: "Spent", isNumber: true, cell: ({ spent }) => formatUsd(spent.usd) },
  { name: "Tokens", isNumber: true, from: "sm", cell: ({ spent }) => formatCount(spent.tokens) },
];

export function SystemPage() {
  const examined = useQuery(doctor);
  const all = useQuery(tenantList);
  return (
    <View title="System">
      <Figures />
      <Section title="Checks">
        <Loaded query={examined}>
          {({ checks, sandbox }) => (
            <>
              <DataTable
                label="Checks"
                columns={checkColumns}
                rows={checks}
                keyOf={({ name, detail }) => `${name} ${detail}`}
              />
              <Walls sandbox={sandbox} />
            </>
          )}
        </Loaded>
      </Section>
      <Section title="Tenants">
        <Loaded query={all}>
          {(rows) => (
            <DataTable
              label="Tenants"
              columns={tenantColumns}
              rows={rows}
              keyOf={({ name }) => name}
            />
          )}
        </Loaded>
      </Section>
    </View>
  );
}

function Figures() {
  const { data: report } = useQuery(status);
  const { data: queued } = useQuery(queue);
  if (report === undefined) return null;
  return (
    <Facts>
      <FactItem name="Version">{report.daemon.version}</FactItem>
      <FactItem name="Up since">
        <Ago at={report.daemon.startedAt} />
        <FactNote>pid {report.daemon.pid}</FactNote>
      </FactItem>
      <FactItem name="Loaded">
        {formatCount(report.loaded)}
        <FactNote>in memory</FactNote>
      </FactItem>
      {queued === undefined
        ? null
        : Object.entries(queued.queued).map(([lane, depth]) => (
            <FactItem key={lane} name={`Queue ${lane}`}>
              {formatCount(depth)}
            </FactItem>
          ))}
      <FactLine name="Home">
        {report.home}; {report.store}
      </FactLine>
    </Facts>
  );
}

/** What the sandbox holds a program to; each by its own word. */
function Walls({ sandbox }: { sandbox: object }) {
  return (
    <ul className="flex flex-wrap gap-2" aria-label="What the sandbox enforces">
      {Object.entries(sandbox).map(([wall, how]) => (
        <li
          key={wall}
          className="rounded-md border border-line bg-sheet px-2.5 py-1 text-[13px] text-soft"
        >
          <span className="font-medium text-ink">{wall}</span> {String(how)}
        </li>
      ))}
    </ul>
  );
}
