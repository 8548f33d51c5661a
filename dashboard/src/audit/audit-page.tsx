// Audit: verifies that nothing of what is stored was changed, and lists what people did.

import type { AuditReport, LedgerReport } from "@aos/protocol/words";
import { useMutation, useQuery } from "@tanstack/react-query";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { ledger } from "../api/reports.ts";
import { Ago } from "../parts/ago.tsx";
import { Button } from "../parts/button.tsx";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { CommandLine, EmptyState } from "../parts/empty-state.tsx";
import { Failure } from "../parts/failure.tsx";
import { formatCount } from "../parts/format.ts";
import { Loaded } from "../parts/loaded.tsx";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";

/** Entries that are shown. */
const SHOWN = 200;

type Entry = LedgerReport;

const columns: readonly TableColumn<Entry>[] = [
  { name: "When", cell: ({ at }) => <Ago at={at} /> },
  { name: "Who", cell: ({ by }) => by },
  { name: "What", cell: ({ what }) => <span className="font-mono text-[13px]">{what}</span> },
  {
    name: "Detail",
    from: "md",
    cell: ({ detail }) => (
      <span className="font-mono text-xs break-all text-soft">{JSON.stringify(detail)}</span>
    ),
  },
];

export function AuditPage() {
  const entries = useQuery(ledger(SHOWN));
  return (
    <View title="Audit">
      <Verification />
      <Section title="What people did">
        <Loaded query={entries}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState title="No entries yet">
                Answers, grants, revocations and changes of secrets and policy appear here.
              </EmptyState>
            ) : (
              <DataTable
                label="Entries of the ledger"
                columns={columns}
                rows={rows.toReversed()}
                keyOf={({ node, seq }) => `${node}#${seq}`}
              />
            )
          }
        </Loaded>
      </Section>
    </View>
  );
}

function Verification() {
  const { data: caller } = useQuery(me);
  const verifying = useMutation({ mutationFn: () => daemon.verify({}) });
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line bg-sheet p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-soft">
          Every record is chained to the one before; the ends of all chains are signed in a log
          beside the database.
        </p>
        {caller?.role === "operator" ? (
          <Button tone="main" disabled={verifying.isPending} onClick={() => verifying.mutate()}>
            {verifying.isPending ? "Verifying …" : "Verify now"}
          </Button>
        ) : null}
      </div>
      {verifying.error === null ? null : <Failure error={verifying.error} />}
      {verifying.data === undefined ? null : <Verdict report={verifying.data} />}
      <p className="text-xs text-faint">
        Without this page: <CommandLine>aos audit verify</CommandLine>
      </p>
    </div>
  );
}

function Verdict({ report }: { report: AuditReport }) {
  const { ok, processes, records, logged, findings } = report;
  return (
    <div role="status" className="flex flex-col gap-2">
      <p className={`font-medium ${ok ? "text-good" : "text-bad"}`}>
        {ok ? "✓ All intact" : `✗ ${findings.length} findings`}
        <span className="figures ml-3 font-normal text-soft">
          {formatCount(records)} records of {formatCount(processes)} processes,{" "}
          {formatCount(logged)} logged heads
        </span>
      </p>
      {findings.map((finding) => (
        <p key={JSON.stringify(finding)} className="font-mono text-xs">
          {JSON.stringify(finding)}
        </p>
      ))}
    </div>
  );
}
