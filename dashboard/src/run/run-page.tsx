// One run: how it stands, what it asks, what it did and why, and what came of it.

import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import { isEnded, type JournalRecord, type ProcessDetail } from "@aos/protocol/words";
import { questionsOf, run as runQuery } from "../api/queries.ts";
import { runList } from "../api/run-list.ts";
import { QuestionCard } from "../approvals/question-card.tsx";
import { Failure } from "../parts/failure.tsx";
import { Tabs, tabStyle } from "../parts/tabs.tsx";
import { RunTable } from "../runs/run-table.tsx";
import { treeOf } from "../runs/tree.ts";
import { ConversationView } from "./conversation-view.tsx";
import { JournalView } from "./journal-view.tsx";
import { RunAccess } from "./run-access.tsx";
import { RunFiles } from "./run-files.tsx";
import { RunHead } from "./run-head.tsx";
import { RunResult } from "./run-result.tsx";
import { runViewNames, runViews, type RunView } from "./run-views.ts";
import { TimeSlider } from "./time-slider.tsx";
import { Section } from "./section.tsx";
import { Steps } from "./steps.tsx";
import { extendTimeline, type StepHistory, type TimelineStep } from "./timeline.ts";
import { useJournal } from "./use-journal.ts";

export function RunPage() {
  const { pid } = useParams({ from: "/runs/$pid" });
  const { data: run, error, refetch } = useQuery(runQuery(pid));
  return (
    <div className="flex flex-col gap-6">
      <Link to="/runs" className="self-start text-[13px] text-soft hover:text-ink">
        ← Runs
      </Link>
      {run !== undefined ? (
        <Run run={run} />
      ) : error !== null ? (
        <Failure error={error} again={() => void refetch()} />
      ) : null}
    </div>
  );
}

function Run({ run }: { run: ProcessDetail }) {
  return (
    <>
      <RunHead run={run} />
      <Asked pid={run.pid} />
      {isEnded(run.state) ? <RunResult run={run} /> : null}
      <Children pid={run.pid} />
      <History run={run} />
    </>
  );
}

function Asked({ pid }: { pid: string }) {
  const { data = [] } = useQuery(questionsOf(pid));
  const ours = data.filter(({ pids }) => (pids as readonly string[]).includes(pid));
  if (ours.length === 0) return null;
  return (
    <Section title={ours.length === 1 ? "It asks" : `It asks ${ours.length} things`}>
      {ours.map((question) => (
        <QuestionCard key={question.id} question={question} isInRun />
      ))}
    </Section>
  );
}

/** What it did: one of several views, as of a record where one is chosen. */
function History({ run }: { run: ProcessDetail }) {
  const { pid } = run;
  const { view = "talk", at } = useSearch({ from: "/runs/$pid" });
  const { records, isWhole, error, refetch } = useJournal(pid);
  const shown = useMemo(() => upTo(records ?? [], at), [records, at]);
  const steps = useTimeline(shown);
  if (records === undefined)
    return error === null ? null : <Failure error={error} again={() => void refetch()} />;
  const needsTime = view === "talk" || view === "timeline" || view === "journal";
  return (
    <div className="flex flex-col gap-4">
      <Tabs label="Parts of the run">
        {runViewNames.map((name) => (
          <ViewTab key={name} name={name} isShown={name === view} />
        ))}
      </Tabs>
      {needsTime ? <TimeSlider run={run} records={records} at={at} /> : null}
      {isWhole ? null : (
        <p role="status" className="text-[13px] text-faint">
          Loading the earlier records …
        </p>
      )}
      {view === "talk" ? <ConversationView run={run} steps={steps} at={at} /> : null}
      {view === "timeline" ? <Steps pid={pid} steps={steps} /> : null}
      {view === "journal" ? <JournalView records={shown} /> : null}
      {view === "files" ? <RunFiles run={run} /> : null}
      {view === "access" ? <RunAccess pid={pid} /> : null}
    </div>
  );
}

/** Only records that are new are made into steps. */
function useTimeline(records: readonly JournalRecord[]): readonly TimelineStep[] {
  const last = useRef<StepHistory>(undefined);
  last.current = extendTimeline(last.current, records);
  return last.current.steps;
}

const ViewTab = ({ name, isShown }: { name: RunView; isShown: boolean }) => (
  <Link
    from="/runs/$pid"
    to="."
    search={(before) => ({ ...before, view: name === "talk" ? undefined : name }) as never}
    aria-current={isShown ? "page" : undefined}
    className={tabStyle(isShown)}
  >
    {runViews[name]}
  </Link>
);

const upTo = (
  records: readonly JournalRecord[],
  at: number | undefined,
): readonly JournalRecord[] =>
  at === undefined ? records : records.slice(0, records.findLastIndex(({ seq }) => seq <= at) + 1);

function Children({ pid }: { pid: string }) {
  const { data } = useQuery(runList({ parent: pid }));
  if (data === undefined || data.rows.length === 0) return null;
  return (
    <Section title="Started by it">
      <RunTable branches={treeOf(data.rows)} />
    </Section>
  );
}
