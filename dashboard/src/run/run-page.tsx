// One run: how it stands, what it asks, what it did step by step, and what came of it.

import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { isEnded, type ProcessDetail } from "@aos/protocol/words";
import { children, journal, questionsOf, run as runQuery } from "../api/queries.ts";
import { QuestionCard } from "../approvals/question-card.tsx";
import { Failure } from "../parts/failure.tsx";
import { RunTable } from "../runs/run-table.tsx";
import { treeOf } from "../runs/tree.ts";
import { RunResult } from "./run-result.tsx";
import { RunHead } from "./run-head.tsx";
import { Section } from "./section.tsx";
import { Steps } from "./steps.tsx";
import { timelineOf } from "./timeline.ts";

export function RunPage() {
  const { pid } = useParams({ from: "/runs/$pid" });
  const { data: run, error, refetch } = useQuery(runQuery(pid));
  return (
    <div className="flex flex-col gap-7">
      <Link to="/" className="self-start text-[13px] text-soft hover:text-ink">
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
      <Timeline pid={run.pid} />
      <Children pid={run.pid} />
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

function Timeline({ pid }: { pid: string }) {
  const { data: records, error, refetch } = useQuery(journal(pid));
  if (records === undefined) {
    return error === null ? null : <Failure error={error} again={() => void refetch()} />;
  }
  return (
    <Section title="Timeline">
      <Steps pid={pid} steps={timelineOf(records)} />
    </Section>
  );
}

function Children({ pid }: { pid: string }) {
  const { data = [] } = useQuery(children(pid));
  if (data.length === 0) return null;
  return (
    <Section title="Started by it">
      <RunTable branches={treeOf(data)} />
    </Section>
  );
}
