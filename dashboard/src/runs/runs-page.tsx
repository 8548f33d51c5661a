// Runs: what runs and what ran, as a tree; chosen by state, words and time, all of which the address says.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { questions } from "../api/queries.ts";
import { fits, loadOlderRuns, runList } from "../api/run-list.ts";
import { Failure } from "../parts/failure.tsx";
import { CommandLine, EmptyState } from "../parts/empty-state.tsx";
import { formatCount } from "../parts/format.ts";
import { Title } from "../parts/title.tsx";
import { StartButton } from "../start/start-button.tsx";
import { filterOf, type RunSearch } from "./filters.ts";
import { FoundTexts } from "./found-texts.tsx";
import { RunChoice } from "./run-choice.tsx";
import { RunTable } from "./run-table.tsx";
import { SavedViews } from "./saved-views.tsx";
import { StateBar } from "./state-bar.tsx";
import { treeOf } from "./tree.ts";

/** Between the last letter of a search and its request. */
const TYPING_MS = 200;

export function RunsPage() {
  const search = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const choose = useCallback(
    (change: RunSearch) =>
      void navigate({ search: (before) => ({ ...before, ...change }) as never, replace: true }),
    [navigate],
  );
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <Title>Runs</Title>
        <StartButton />
      </div>
      <StateBar onChoose={(show) => choose({ show })} />
      <SavedViews search={search} />
      <RunChoice search={search} onChoose={choose} />
      <List search={search} />
    </div>
  );
}

function List({ search }: { search: RunSearch }) {
  const { show, find, span } = search;
  const requested = useDelayed(find, TYPING_MS);
  const { data: asked } = useQuery(questions);
  const asking = useMemo(
    () => [...new Set(asked?.flatMap(({ pids }) => pids as readonly string[]))].sort(),
    [asked],
  );
  // A list is of one moment as long as it is looked at: otherwise each minute would be another one.
  const nowMs = useMemo(() => Date.now(), [span]);
  const filter = useMemo(
    () =>
      filterOf({ show, find: requested, span }, { nowMs, asking: show === "asking" ? asking : [] }),
    [show, requested, span, nowMs, asking],
  );
  const { data, error, refetch } = useQuery({
    ...runList(filter),
    placeholderData: keepPreviousData,
  });
  const branches = useMemo(() => {
    const words = find?.trim() ?? "";
    const rows = data?.rows ?? [];
    return treeOf(words === "" ? rows : rows.filter((run) => fits({ find: words }, run)));
  }, [data, find]);
  // A page that failed is requested again when its last row is seen again.
  const loadOlder = useCallback(() => void loadOlderRuns(filter).catch(() => {}), [filter]);

  if (data === undefined)
    return error === null ? null : <Failure error={error} again={() => void refetch()} />;
  const isEverything = show === undefined && span === undefined && (find ?? "") === "";
  return (
    <>
      {branches.length > 0 ? (
        <RunTable branches={branches} {...(data.hasOlder ? { onEnd: loadOlder } : {})} />
      ) : isEverything ? (
        <EmptyState title="No runs yet">
          Start an agent, and it appears here: <CommandLine>aos run examples/hello hi</CommandLine>
        </EmptyState>
      ) : (
        <EmptyState title="No matching runs">Choose another state, word or time.</EmptyState>
      )}
      {branches.length === 0 ? null : (
        <p className="figures text-xs text-faint" role="status">
          {formatCount(branches.length)} {data.hasOlder ? "loaded; more follow below" : "in all"}
        </p>
      )}
      <FoundTexts words={requested ?? ""} />
    </>
  );
}

/** The value of some time ago, once it has stopped changing. */
function useDelayed<T>(value: T, ms: number): T {
  const [delayed, set] = useState(value);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) return void (isFirst.current = false);
    const timer = setTimeout(() => set(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return delayed;
}
