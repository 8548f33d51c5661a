// Goals: what was submitted, how far it is, and a form for another.

import type { GoalInfo } from "@aos/protocol/words";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { Ago } from "../parts/ago.tsx";
import { Button } from "../parts/button.tsx";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { CommandLine, EmptyState } from "../parts/empty-state.tsx";
import { Failure } from "../parts/failure.tsx";
import { Field, inputStyle } from "../parts/field.tsx";
import { formatUsd } from "../parts/format.ts";
import { Loaded } from "../parts/loaded.tsx";
import { StateMark } from "../parts/marks.tsx";
import { View } from "../parts/view.tsx";
import { goalList } from "./goal-queries.ts";

const columns: readonly TableColumn<GoalInfo>[] = [
  {
    name: "Goal",
    cell: ({ pid, goal }) => (
      <Link to="/goals/$pid" params={{ pid }} className="line-clamp-2 font-medium hover:underline">
        {goal}
      </Link>
    ),
  },
  { name: "State", from: "sm", cell: ({ state }) => <StateMark state={state} /> },
  { name: "Lane", from: "md", cell: ({ lane }) => lane },
  { name: "Place", isNumber: true, from: "md", cell: ({ place }) => place ?? "–" },
  { name: "Spend", isNumber: true, cell: ({ costUsd }) => formatUsd(costUsd) },
  { name: "Since", isNumber: true, cell: ({ startedAt }) => <Ago at={startedAt} /> },
];

export function GoalsPage() {
  const query = useQuery(goalList);
  return (
    <View
      title="Goals"
      lead="A goal is planned, its parts are given to roles, and it ends with the result."
    >
      <SubmitForm />
      <Loaded query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No goals yet">
              <CommandLine>aos submit &quot;summarise the notes in /work&quot;</CommandLine>
            </EmptyState>
          ) : (
            <DataTable label="Goals" columns={columns} rows={rows} keyOf={({ pid }) => pid} />
          )
        }
      </Loaded>
    </View>
  );
}

function SubmitForm() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  const [goal, write] = useState("");
  const [isPlanOnly, choose] = useState(false);
  const submitting = useMutation({
    mutationFn: () => daemon.submitGoal({ goal, ...(isPlanOnly ? { isPlanOnly } : {}) }),
    onSuccess: ({ pid }) => {
      void client.invalidateQueries({ queryKey: ["goals"] });
      void navigate({ to: "/goals/$pid", params: { pid } });
    },
  });
  if (caller?.role !== "operator") return null;
  return (
    <form
      className="flex flex-col gap-3 rounded-lg border border-line bg-sheet p-4"
      onSubmit={(event) => {
        event.preventDefault();
        submitting.mutate();
      }}
    >
      <Field name="Goal">
        <textarea
          rows={2}
          value={goal}
          placeholder="What is wanted, in words"
          className={inputStyle}
          onChange={({ target }) => write(target.value)}
        />
      </Field>
      <label className="flex items-baseline gap-2">
        <input
          type="checkbox"
          checked={isPlanOnly}
          onChange={({ target }) => choose(target.checked)}
        />
        Only plan: show what it would do and cost
      </label>
      {submitting.error === null ? null : <Failure error={submitting.error} />}
      <Button
        type="submit"
        tone="main"
        className="self-start"
        disabled={submitting.isPending || goal.trim() === ""}
      >
        Submit
      </Button>
    </form>
  );
}
