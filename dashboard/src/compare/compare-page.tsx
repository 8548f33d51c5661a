// Compare: two runs side by side, step by step; those that differ can be shown alone.

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Field, inputStyle } from "../parts/field.tsx";
import { Failure } from "../parts/failure.tsx";
import { RunLink } from "../parts/run-link.tsx";
import { View } from "../parts/view.tsx";
import { useJournal } from "../run/use-journal.ts";
import { timelineOf, type TimelineStep } from "../run/timeline.ts";
import { VerdictMark } from "../run/verdict-mark.tsx";
import { align, type StepPair } from "./align.ts";

/** Rows that are drawn at once. */
const SHOWN = 1_000;

export function ComparePage() {
  const { a = "", b = "" } = useSearch({ from: "/compare" });
  return (
    <View title="Compare two runs">
      <Choice a={a} b={b} />
      {a === "" || b === "" ? (
        <EmptyState title="Choose two runs">
          A fork and what it was forked from, for instance.
        </EmptyState>
      ) : (
        <Comparison a={a} b={b} />
      )}
    </View>
  );
}

function Choice({ a, b }: { a: string; b: string }) {
  const navigate = useNavigate({ from: "/compare" });
  const [draft, write] = useState({ a, b });
  const input = (name: "a" | "b", label: string) => (
    <Field name={label}>
      <input
        value={draft[name]}
        placeholder="agt_…"
        className={`${inputStyle} font-mono text-[13px]`}
        onChange={({ target }) => write({ ...draft, [name]: target.value.trim() })}
      />
    </Field>
  );
  return (
    <form
      className="grid gap-3 sm:grid-cols-[1fr_1fr_auto] sm:items-end"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ search: draft });
      }}
    >
      {input("a", "One run")}
      {input("b", "The other")}
      <Button type="submit">Compare</Button>
    </form>
  );
}

function Comparison({ a, b }: { a: string; b: string }) {
  const [isShort, choose] = useState(false);
  const left = useJournal(a);
  const right = useJournal(b);
  const isWhole = left.isWhole && right.isWhole;
  const rows = useMemo(
    () => (isWhole ? align(timelineOf(left.records ?? []), timelineOf(right.records ?? [])) : []),
    [isWhole, left.records, right.records],
  );
  const different = rows.filter(({ isSame }) => !isSame);
  const shown = isShort ? different : rows;
  const error = left.error ?? right.error;
  if (error !== null)
    return (
      <Failure error={error} again={() => void Promise.all([left.refetch(), right.refetch()])} />
    );
  if (!isWhole)
    return (
      <p role="status" className="text-[13px] text-faint">
        Loading …
      </p>
    );
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-3">
        <p role="status" className="text-soft">
          {different.length === 0
            ? `All ${rows.length} steps are the same.`
            : `${different.length} of ${rows.length} steps differ.`}
        </p>
        <label className="flex items-baseline gap-2">
          <input
            type="checkbox"
            checked={isShort}
            onChange={({ target }) => choose(target.checked)}
          />
          Differences only
        </label>
      </div>
      <Rows rows={shown.slice(0, SHOWN)} a={a} b={b} />
      {shown.length > SHOWN ? (
        <p className="text-[13px] text-faint">
          The first {SHOWN} of {shown.length}.
        </p>
      ) : null}
    </div>
  );
}

function Rows({ rows, a, b }: { rows: readonly StepPair[]; a: string; b: string }) {
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-sheet">
      <table
        className="w-full table-fixed border-collapse text-[13px]"
        aria-label="Steps of both runs"
      >
        <thead className="border-b border-line text-left text-xs text-faint">
          <tr>
            <th scope="col" className="w-8 py-2 pl-4 font-medium">
              <span className="sr-only">Same or different</span>
            </th>
            {[a, b].map((pid) => (
              <th key={pid} scope="col" className="px-3 py-2 font-medium">
                <RunLink pid={pid} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ a: left, b: right, isSame }) => (
            <tr
              key={`${left?.seq ?? "-"} ${right?.seq ?? "-"}`}
              className="border-b border-line align-baseline last:border-b-0"
            >
              <td className={`py-1.5 pl-4 ${isSame ? "text-faint" : "font-medium text-wait"}`}>
                {isSame ? "=" : "≠"}
              </td>
              <Step step={left} />
              <Step step={right} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Step = ({ step }: { step: TimelineStep | null }) => (
  <td className="px-3 py-1.5">
    {step === null ? (
      <span className="text-faint">–</span>
    ) : (
      <span className="flex min-w-0 items-baseline gap-3">
        <span className="figures shrink-0 text-xs text-faint">{step.seq}</span>
        <span className="shrink-0 font-mono font-medium">{step.name}</span>
        <span className="min-w-0 flex-1 truncate text-soft" title={step.about}>
          {step.err?.message ?? step.about}
        </span>
        {step.verdict === null ? null : <VerdictMark verdict={step.verdict} />}
      </span>
    )}
  </td>
);
