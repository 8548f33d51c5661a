// Runs: what runs and what ran, as a tree.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ToggleGroup } from "radix-ui";
import { useEffect, useRef } from "react";
import type { ProcessInfo } from "@aos/protocol/words";
import { runs as runsQuery } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";
import { CommandLine, EmptyState } from "../parts/empty-state.tsx";
import { Title } from "../parts/title.tsx";
import { StartButton } from "../start/start-button.tsx";
import { chooseRuns, filterNames, filters, type FilterName } from "./filters.ts";
import { RunTable } from "./run-table.tsx";
import { treeOf } from "./tree.ts";

export function RunsPage() {
  const { show = "all", find = "" } = useSearch({ from: "/runs" });
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } =
    useInfiniteQuery(runsQuery);
  const all = data?.pages.flat();

  if (all === undefined) {
    return error === null ? null : <Failure error={error} again={() => void refetch()} />;
  }
  const shown = treeOf(chooseRuns(all, { show, find }));
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <Title>Runs</Title>
        <StartButton />
      </div>
      {all.length === 0 ? (
        <EmptyState title="No runs yet">
          Start an agent, and it appears here: <CommandLine>aos run examples/hello hi</CommandLine>
        </EmptyState>
      ) : (
        <>
          <Choice all={all} show={show} find={find} />
          {shown.length === 0 ? (
            <EmptyState title="No matching runs">None of the {all.length} runs matches.</EmptyState>
          ) : (
            <RunTable branches={shown} />
          )}
        </>
      )}
      {hasNextPage ? (
        <div className="flex justify-center">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Older runs
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function Choice(props: { all: readonly ProcessInfo[]; show: FilterName; find: string }) {
  const { all, show, find } = props;
  const navigate = useNavigate({ from: "/runs" });
  const search = useRef<HTMLInputElement>(null);
  useSlash(() => search.current?.focus());
  const choose = (name: FilterName) =>
    void navigate({
      search: (before) => ({ ...before, show: name === "all" ? undefined : name }) as never,
      replace: true,
    });

  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <ToggleGroup.Root
        type="single"
        value={show}
        aria-label="Which runs"
        className="flex gap-1"
        onValueChange={(value) => choose((value || "all") as FilterName)}
      >
        {filterNames.map((name) => (
          <ToggleGroup.Item
            key={name}
            value={name}
            className="flex items-baseline gap-1.5 rounded-md px-2.5 py-1 font-medium text-soft hover:bg-raised data-[state=on]:bg-raised data-[state=on]:text-ink"
          >
            {filters[name].name}
            <span className="figures text-xs text-faint">
              {chooseRuns(all, { show: name, find: "" }).length}
            </span>
          </ToggleGroup.Item>
        ))}
      </ToggleGroup.Root>
      <input
        ref={search}
        type="search"
        value={find}
        aria-label="Find by agent or pid"
        aria-keyshortcuts="/"
        placeholder="Find by agent or pid  /"
        className="h-9 w-full rounded-md border border-line bg-sheet px-3 placeholder:text-faint sm:w-60"
        onChange={({ target }) =>
          void navigate({
            search: (before) => ({ ...before, find: target.value || undefined }) as never,
            replace: true,
          })
        }
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
    </div>
  );
}

/** `/` goes to the search, unless something is being written. */
function useSlash(act: () => void): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const isWriting = event.target instanceof Element && event.target.matches("input, textarea");
      if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  });
}
