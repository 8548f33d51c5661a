// RunChoice: which runs are listed: by state, by words, by when they were started.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { ProcessState } from "@aos/protocol/words";
import { questions, status } from "../api/queries.ts";
import { Chips } from "../parts/chips.tsx";
import {
  filterNames,
  filters,
  runFilters,
  timeSpanNames,
  timeSpans,
  type RunSearch,
} from "./filters.ts";

export function RunChoice(props: { search: RunSearch; onChoose: (change: RunSearch) => void }) {
  const { show = "all", find = "", span } = props.search;
  const { onChoose } = props;
  const input = useRef<HTMLInputElement>(null);
  useSlash(() => input.current?.focus());
  const counts = useCounts();
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Chips
          label="Which runs"
          value={show}
          choices={filterNames.map((value) => {
            const count = counts[value];
            return { value, name: filters[value].name, ...(count === undefined ? {} : { count }) };
          })}
          onChoose={(value) => onChoose({ show: value === "all" ? undefined : value })}
        />
        <select
          aria-label="Started"
          value={span ?? ""}
          className="h-8 rounded-md border border-line bg-sheet px-2 text-soft"
          onChange={({ target }) =>
            onChoose({ span: timeSpanNames.find((name) => name === target.value) })
          }
        >
          <option value="">At any time</option>
          {timeSpanNames.map((name) => (
            <option key={name} value={name}>
              {timeSpans[name].name}
            </option>
          ))}
        </select>
      </div>
      <input
        ref={input}
        type="search"
        value={find}
        aria-label="Find by agent, pid or text"
        aria-keyshortcuts="/"
        placeholder="Find by agent, pid or text  /"
        className="h-9 w-full rounded-md border border-line bg-sheet px-3 placeholder:text-faint sm:w-64"
        onChange={({ target }) => onChoose({ find: target.value || undefined })}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
    </div>
  );
}

function useCounts(): Partial<Record<keyof typeof filters, number>> {
  const { data: report } = useQuery(status);
  const { data: asked } = useQuery(questions);
  if (report === undefined) return {};
  const states = report.states as Partial<Record<ProcessState, number>>;
  const sum = (names: readonly ProcessState[]) =>
    names.reduce((total, name) => total + (states[name] ?? 0), 0);
  return {
    all: sum(Object.keys(states) as ProcessState[]),
    live: sum(runFilters.live.states),
    asking: new Set(asked?.flatMap(({ pids }) => pids as readonly string[])).size,
    failed: sum(runFilters.failed.states),
  };
}

/** `/` goes to the search, unless something is being written. */
function useSlash(act: () => void): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const isWriting =
        event.target instanceof Element && event.target.matches("input, textarea, select");
      if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  });
}
