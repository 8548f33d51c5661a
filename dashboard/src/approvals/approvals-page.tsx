// Approvals: open questions, the oldest first. j and k move between them.

import { isFullPage } from "@aos/protocol/words";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { questions } from "../api/queries.ts";
import { Failure } from "../parts/failure.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Title } from "../parts/title.tsx";
import { QuestionCard } from "./question-card.tsx";

export function ApprovalsPage() {
  const { data, error, refetch } = useQuery(questions);
  useSteps();
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <Title
          tab={data === undefined || data.length === 0 ? "Approvals" : `${data.length} approvals`}
        >
          Approvals
        </Title>
        {data === undefined || data.length === 0 ? null : (
          <p className="hidden text-[13px] text-faint md:block">
            <Key>j</Key> <Key>k</Key> next and previous, <Key>a</Key> approve, <Key>d</Key> deny
          </p>
        )}
      </div>
      {data === undefined ? (
        error === null ? null : (
          <Failure error={error} again={() => void refetch()} />
        )
      ) : data.length === 0 ? (
        <EmptyState title="No pending questions">
          When a rule requires approval or an agent asks a question, it appears here.
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-4">
          {data
            .toSorted((a, b) => a.askedAt.localeCompare(b.askedAt))
            .map((question) => (
              <QuestionCard key={question.id} question={question} />
            ))}
          {isFullPage(data) ? (
            <p className="text-[13px] text-faint">
              These are the first {data.length}. More may follow when these are answered.
            </p>
          ) : null}
        </div>
      )}
    </div>
  );
}

const Key = ({ children }: { children: string }) => (
  <kbd className="rounded border border-line bg-sheet px-1.5 font-mono text-xs text-soft">
    {children}
  </kbd>
);

function useSteps(): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key];
      const isWriting = event.target instanceof Element && event.target.matches("input, textarea");
      if (step === undefined || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
      const cards = [...document.querySelectorAll<HTMLElement>("[data-question]")];
      const here = cards.findIndex((card) => card.contains(document.activeElement));
      cards[here === -1 ? 0 : here + step]?.focus();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
}
