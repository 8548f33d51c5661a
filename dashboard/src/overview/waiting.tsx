// Waiting: the questions that are open, a line each; the whole card is one step away.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { questions } from "../api/queries.ts";
import { headline } from "../approvals/headline.ts";
import { Ago } from "../parts/ago.tsx";
import { Section } from "../run/section.tsx";

export function Waiting({ most }: { most: number }) {
  const { data = [] } = useQuery(questions);
  if (data.length === 0) return null;
  return (
    <Section
      title={
        data.length === 1 ? "A question waits for you" : `${data.length} questions wait for you`
      }
    >
      <ul className="overflow-hidden rounded-lg border border-line bg-sheet">
        {data.slice(0, most).map((question) => (
          <li key={question.id} className="border-b border-line last:border-b-0">
            <Link
              to="/approvals"
              className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-4 px-4 py-2.5 hover:bg-raised/60"
            >
              <span className="font-medium">{question.about?.agent ?? "a run"}</span>
              <span className="truncate text-soft">{headline(question)}</span>
              <span className="figures text-[13px] text-faint">
                <Ago at={question.askedAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
