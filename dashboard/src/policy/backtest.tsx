// Backtest: a policy text is tried against recorded runs; nothing is changed.

import type { BacktestReport } from "@aos/protocol/words";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { Failure } from "../parts/failure.tsx";
import { Field, inputStyle } from "../parts/field.tsx";
import { formatCount } from "../parts/format.ts";
import { RunLink } from "../parts/run-link.tsx";

const WEEK_MS = 7 * 86_400_000;
const EXAMPLE = `version: 1
rules:
  - id: no-shell
    deny: shell:*
`;

type Change = BacktestReport["changes"][number];

const columns: readonly TableColumn<Change>[] = [
  { name: "Run", cell: ({ pid, agent }) => <RunLink pid={pid}>{agent}</RunLink> },
  { name: "Record", isNumber: true, from: "sm", cell: ({ seq }) => seq },
  { name: "Call", cell: ({ call, tool }) => tool ?? call },
  { name: "Was", cell: ({ from }) => from },
  { name: "Would be", cell: ({ to }) => to },
  { name: "Rule", from: "md", cell: ({ rule }) => rule },
];

export function Backtest() {
  const { data: caller } = useQuery(me);
  const [text, write] = useState(EXAMPLE);
  const trying = useMutation({
    mutationFn: () =>
      daemon.backtestPolicy({ policy: { file: "page.yaml", text }, sinceMs: WEEK_MS }),
  });
  if (caller?.role !== "operator") return <p className="text-faint">For operators.</p>;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        trying.mutate();
      }}
    >
      <Field
        name="Policy"
        note="Tried against the calls of the last seven days. Nothing is put in force."
      >
        <textarea
          rows={7}
          value={text}
          spellCheck={false}
          className={`${inputStyle} font-mono text-[12.5px]`}
          onChange={({ target }) => write(target.value)}
        />
      </Field>
      <Button type="submit" className="self-start" disabled={trying.isPending}>
        {trying.isPending ? "Trying …" : "Try it"}
      </Button>
      {trying.error === null ? null : <Failure error={trying.error} />}
      {trying.data === undefined ? null : (
        <>
          <p role="status">
            {formatCount(trying.data.changed)} of {formatCount(trying.data.calls)} calls in{" "}
            {formatCount(trying.data.runs)} runs would have been decided differently.
          </p>
          {trying.data.changes.length === 0 ? null : (
            <DataTable
              label="Calls that would have been decided differently"
              columns={columns}
              rows={trying.data.changes}
              keyOf={({ pid, seq }) => `${pid}#${seq}`}
            />
          )}
        </>
      )}
    </form>
  );
}
