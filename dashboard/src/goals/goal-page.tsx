// One goal: its plan as a graph in layers, each subtask with its role, state, cost and run; the result and the files;
// a way to go on from a subtask, or without it.

import { isEnded, type GoalReport, type SubtaskReport } from "@aos/protocol/words";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { FactItem, FactNote, Facts } from "../parts/facts.tsx";
import { Failure } from "../parts/failure.tsx";
import { formatUsd } from "../parts/format.ts";
import { Loaded } from "../parts/loaded.tsx";
import { StateMark } from "../parts/marks.tsx";
import { RunLink } from "../parts/run-link.tsx";
import { ValueView } from "../parts/value.tsx";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";
import { goalOf } from "./goal-queries.ts";
import { planLayers } from "./plan-layers.ts";

export function GoalPage() {
  const { pid } = useParams({ from: "/goals/$pid" });
  const query = useQuery(goalOf(pid));
  return <Loaded query={query}>{(goal) => <Goal goal={goal} />}</Loaded>;
}

function Goal({ goal }: { goal: GoalReport }) {
  const { pid, state, costUsd, place, replans, error, result, files, faults, estimate } = goal;
  const done = goal.subtasks.filter((one) => one.state === "done").length;
  return (
    <View
      title={goal.goal}
      tab="Goal"
      lead={
        <>
          Run <RunLink pid={pid} />
        </>
      }
    >
      <Facts>
        <FactItem name="State">
          <StateMark state={state} />
          {place === null ? null : <FactNote>{place}. in the queue</FactNote>}
        </FactItem>
        <FactItem name="Subtasks done">
          {done} of {goal.subtasks.length}
        </FactItem>
        <FactItem name="Spend">{formatUsd(costUsd)}</FactItem>
        <FactItem name="Still to pay, at least">{formatUsd(estimate.contextUsd)}</FactItem>
        <FactItem name="Replanned">{replans} times</FactItem>
      </Facts>
      {error === null ? null : (
        <p role="alert">
          <span className="mr-2 font-mono text-[13px] font-medium text-bad">{error.code}</span>
          {error.message}
        </p>
      )}
      {faults.length === 0 ? null : (
        <Section title="The plan was refused">
          <ul className="list-disc pl-5">
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Plan">
        {goal.subtasks.length === 0 ? (
          <EmptyState
            title={goal.plan === null ? "There is no plan yet" : "One step, without a plan"}
          />
        ) : (
          <Plan goal={goal} />
        )}
      </Section>
      {result === null ? null : (
        <Section title="Result">
          <ValueView of={result} />
        </Section>
      )}
      {files.length === 0 ? null : (
        <Section title="Files">
          <ul className="font-mono text-[13px]">
            {files.map((file) => (
              <li key={file}>{file}</li>
            ))}
          </ul>
        </Section>
      )}
    </View>
  );
}

/** Layer by layer: what stands in one needs only what stands above it. */
function Plan({ goal }: { goal: GoalReport }) {
  return (
    <ol className="flex flex-col gap-3">
      {planLayers(goal.subtasks).map((layer) => (
        <li key={layer[0]!.id} className="flex flex-wrap gap-3">
          {layer.map((subtask) => (
            <Subtask key={subtask.id} goal={goal} subtask={subtask} />
          ))}
        </li>
      ))}
    </ol>
  );
}

const inks: Record<SubtaskReport["state"], string> = {
  blocked: "text-faint",
  running: "text-accent",
  done: "text-good",
  failed: "text-bad",
  skipped: "text-wait",
};

function Subtask({ goal, subtask }: { goal: GoalReport; subtask: SubtaskReport }) {
  const { id, role, state, pid, tries, dependsOn, outputs, costUsd, error } = subtask;
  return (
    <article
      aria-label={id}
      className="flex min-w-60 flex-1 flex-col gap-1.5 rounded-lg border border-line bg-sheet px-4 py-3 text-[13px]"
    >
      <header className="flex items-baseline justify-between gap-3">
        <h3 className="font-medium">{id}</h3>
        <span className={inks[state]}>{state}</span>
      </header>
      <p className="text-soft">
        {role}
        {pid === null ? null : (
          <>
            {", "}
            <RunLink pid={pid} />
          </>
        )}
        {tries > 1 ? `, ${tries} tries` : ""}
        {costUsd === 0 ? "" : `, ${formatUsd(costUsd)}`}
      </p>
      {dependsOn.length === 0 ? null : <p className="text-faint">after {dependsOn.join(", ")}</p>}
      {outputs.length === 0 ? null : (
        <p className="font-mono text-xs text-faint">{outputs.join(", ")}</p>
      )}
      {error === null ? null : <p className="text-bad">{error}</p>}
      {isEnded(goal.state) && state === "failed" ? <GoOn pid={goal.pid} id={id} /> : null}
    </article>
  );
}

function GoOn({ pid, id }: { pid: string; id: string }) {
  const navigate = useNavigate();
  const { data: caller } = useQuery(me);
  const retrying = useMutation({
    mutationFn: (how: { from: string[] } | { skip: string[] }) => daemon.retryGoal({ pid, ...how }),
    onSuccess: ({ pid: next }) => void navigate({ to: "/goals/$pid", params: { pid: next } }),
  });
  if (caller?.role !== "operator") return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex gap-2">
        <Button
          className="h-7 px-2 text-[13px]"
          disabled={retrying.isPending}
          onClick={() => retrying.mutate({ from: [id] })}
        >
          Go on from here
        </Button>
        <Button
          className="h-7 px-2 text-[13px]"
          disabled={retrying.isPending}
          onClick={() => retrying.mutate({ skip: [id] })}
        >
          Skip
        </Button>
      </div>
      {retrying.error === null ? null : <Failure error={retrying.error} />}
    </div>
  );
}
