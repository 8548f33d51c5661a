// A record of memory: what it says, who wrote it in which record, and the facts that it replaces or contradicts.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { MemoryRecord } from "@aos/protocol/words";
import { Ago } from "../parts/ago.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { RunLink } from "../parts/run-link.tsx";
import { ValueView } from "../parts/value.tsx";
import { Section } from "../run/section.tsx";
import { memoryRecord } from "./memory-queries.ts";

export function MemoryRecordPanel({ path }: { path: string }) {
  const query = useQuery(memoryRecord(path));
  return (
    <Section title={path}>
      <Loaded query={query}>
        {(record) => (
          <div className="flex flex-col gap-3 rounded-lg border border-line bg-sheet p-4">
            <ValueView of={record.data} />
            <p className="text-[13px] text-soft">
              {record.kind}, {record.label}, written <Ago at={record.writtenAt} />
              <Origin name="by" place={record.writtenBy} />
              <Origin name="from what was said in" place={record.from} />
            </p>
            <Related name="Replaces" facts={record.replaces} />
            <Related
              name="Replaced by"
              facts={record.replacedBy === null ? [] : [record.replacedBy]}
            />
            <Related name="Contradicts" facts={record.contradicts} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function Origin({ name, place }: { name: string; place: MemoryRecord["from"] }) {
  if (place === null) return null;
  return (
    <>
      {`, ${name} `}
      <RunLink pid={place.pid} /> record {place.seq}
    </>
  );
}

function Related({ name, facts }: { name: string; facts: MemoryRecord["replaces"] }) {
  if (facts.length === 0) return null;
  return (
    <div className="flex flex-col gap-1 text-[13px]">
      <h3 className="text-xs text-faint">{name}</h3>
      {facts.map(({ path, text }) => (
        <Link key={path} to="/memory" search={{ path }} className="hover:underline">
          {text}
        </Link>
      ))}
    </div>
  );
}
