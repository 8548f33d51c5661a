// FoundTexts: what was said in runs that the words of the search are in.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { daemon } from "../api/daemon.ts";
import { Ago } from "../parts/ago.tsx";
import { Section } from "../run/section.tsx";

const SHOWN = 8;
/** Fewer letters are in everything. */
const SHORTEST = 3;

export function FoundTexts({ words }: { words: string }) {
  const query = words.trim();
  const { data } = useQuery({
    queryKey: ["searchRuns", query],
    queryFn: ({ signal }) => daemon.searchRuns({ query, limit: SHOWN }, { signal }),
    enabled: query.length >= SHORTEST,
    staleTime: 10_000,
  });
  if (query.length < SHORTEST || data === undefined || data.found.length === 0) return null;
  return (
    <Section title="Said in runs">
      <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-sheet">
        {data.found.map((passage) => (
          <li key={`${passage.pid}${passage.seq}`} className="flex flex-col gap-1 px-4 py-2.5">
            <span className="flex flex-wrap items-baseline gap-x-3 text-[13px] text-soft">
              <Link
                to="/runs/$pid"
                params={{ pid: passage.pid }}
                search={{ view: "timeline", seq: passage.seq }}
                title={passage.pid}
                className="font-medium hover:underline"
              >
                {passage.agent}
              </Link>
              <span>{passage.speaker}</span>
              <Ago at={passage.at} />
            </span>
            <span className="line-clamp-3 text-[13px]">{passage.text}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
