// Models: what each does: requests, times, failures, whether it is being avoided; a test of one.

import type { ModelReport } from "@aos/protocol/words";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { models } from "../api/reports.ts";
import { Button } from "../parts/button.tsx";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { CommandLine, EmptyState } from "../parts/empty-state.tsx";
import { formatCount, formatDuration } from "../parts/format.ts";
import { Loaded } from "../parts/loaded.tsx";
import { View } from "../parts/view.tsx";

const ms = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : formatDuration(value);

const columns: readonly TableColumn<ModelReport>[] = [
  {
    name: "Model",
    cell: ({ model, source, slots }) => (
      <span className="flex flex-col">
        <span className="font-mono text-[13px] font-medium">{model}</span>
        <span className="text-xs text-faint">
          {source}
          {slots?.lastFailure == null ? "" : `; last failure: ${slots.lastFailure.message}`}
        </span>
      </span>
    ),
  },
  {
    name: "State",
    from: "sm",
    cell: ({ slots }) =>
      slots === null || slots === undefined
        ? "not used yet"
        : slots.breaker === "closed"
          ? slots.running > 0
            ? `${slots.running} running`
            : "ready"
          : `avoided (${slots.breaker})`,
  },
  { name: "Requests", isNumber: true, cell: ({ slots }) => formatCount(slots?.requests ?? 0) },
  { name: "Failed", isNumber: true, cell: ({ slots }) => formatCount(slots?.failures ?? 0) },
  { name: "Queued", isNumber: true, from: "md", cell: ({ slots }) => slots?.queued ?? 0 },
  { name: "p50", isNumber: true, from: "md", cell: ({ slots }) => ms(slots?.p50Ms) },
  { name: "p95", isNumber: true, from: "md", cell: ({ slots }) => ms(slots?.p95Ms) },
  {
    name: "In / out per million",
    isNumber: true,
    from: "lg",
    cell: ({ price }) => (price === null ? "unknown" : `$${price.input} / $${price.output}`),
  },
  { name: "Test", cell: ({ model }) => <Test model={model} /> },
];

export function ModelsPage() {
  const query = useQuery(models(false));
  return (
    <View title="Models">
      <Loaded query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No models yet">
              Add a provider and its key: <CommandLine>aos configure</CommandLine>
            </EmptyState>
          ) : (
            <DataTable label="Models" columns={columns} rows={rows} keyOf={({ model }) => model} />
          )
        }
      </Loaded>
    </View>
  );
}

function Test({ model }: { model: string }) {
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  const testing = useMutation({
    mutationFn: () => daemon.testModel({ model }),
    onSettled: () => client.invalidateQueries({ queryKey: ["models"] }),
  });
  if (caller?.role !== "operator") return null;
  return (
    <span className="flex items-center justify-end gap-2 text-[13px]" role="status">
      {testing.error === null ? null : <span className="text-bad">{testing.error.message}</span>}
      {testing.isSuccess ? <span className="text-good">answers</span> : null}
      <Button
        className="h-7 px-2 text-[13px]"
        aria-label={`Test ${model}`}
        disabled={testing.isPending}
        onClick={() => testing.mutate()}
      >
        {testing.isPending ? "Asking …" : "Test"}
      </Button>
    </span>
  );
}
