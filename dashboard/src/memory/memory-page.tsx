// Memory: the spaces of agents and what they hold; a search over them in words, with why each result was found; a
// record with its provenance.

import type { MemorySearchReport, MemoryStats } from "@aos/protocol/words";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { memoryStats } from "../api/reports.ts";
import { Ago } from "../parts/ago.tsx";
import { Button } from "../parts/button.tsx";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { inputStyle } from "../parts/field.tsx";
import { formatCount } from "../parts/format.ts";
import { Loaded } from "../parts/loaded.tsx";
import { ColourMark, labelColour } from "../parts/marks.tsx";
import { RunLink } from "../parts/run-link.tsx";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";
import { inLine } from "../run/timeline.ts";
import { foundInMemory } from "./memory-queries.ts";
import { MemoryRecordPanel } from "./memory-record.tsx";

const columns: readonly TableColumn<MemoryStats>[] = [
  { name: "Space", cell: ({ space }) => <span className="font-mono text-[13px]">{space}</span> },
  { name: "Files", isNumber: true, cell: ({ rows }) => formatCount(rows) },
  { name: "Bytes", isNumber: true, from: "sm", cell: ({ bytes }) => formatCount(bytes) },
  { name: "Holds", from: "md", cell: ({ kinds }) => counts(kinds) },
  {
    name: "Read from",
    from: "md",
    cell: ({ labels }) => (
      <span className="flex flex-wrap gap-3">
        {Object.keys(labels).map((label) => (
          <LabelMark key={label} label={label} />
        ))}
      </span>
    ),
  },
  { name: "Newest", isNumber: true, from: "sm", cell: ({ newest }) => <Ago at={newest} /> },
];

const counts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");

export function MemoryView() {
  const { find = "", path } = useSearch({ from: "/memory" });
  const stats = useQuery(memoryStats);
  return (
    <View title="Memory" lead="What outlives runs: facts, episodes and shared files of agents.">
      <SearchForm find={find} />
      {find === "" ? null : <Found find={find} />}
      {path === undefined ? null : <MemoryRecordPanel path={path} />}
      <Section title="Spaces">
        <Loaded query={stats}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState title="Nothing is remembered yet">
                Agents remember with the tool <code>memory.remember</code>, or by their manifest.
              </EmptyState>
            ) : (
              <DataTable
                label="Spaces"
                columns={columns}
                rows={rows}
                keyOf={({ space }) => space}
              />
            )
          }
        </Loaded>
      </Section>
    </View>
  );
}

function SearchForm({ find }: { find: string }) {
  const navigate = useNavigate({ from: "/memory" });
  const [draft, write] = useState(find);
  return (
    <form
      className="flex max-w-xl gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ search: draft.trim() === "" ? {} : { find: draft.trim() } });
      }}
    >
      <input
        type="search"
        value={draft}
        aria-label="Search memory"
        placeholder="Search in words, or ask a question"
        className={inputStyle}
        onChange={({ target }) => write(target.value)}
      />
      <Button type="submit">Search</Button>
    </form>
  );
}

function Found({ find }: { find: string }) {
  const query = useQuery(foundInMemory(find));
  return (
    <Section title={`Found for “${find}”`}>
      <Loaded query={query}>
        {({ found }) =>
          found.length === 0 ? (
            <EmptyState title="Nothing found" />
          ) : (
            <ul className="flex flex-col gap-2">
              {found.map((file) => (
                <FoundFile key={file.path} file={file} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function FoundFile({ file }: { file: MemorySearchReport["found"][number] }) {
  const navigate = useNavigate({ from: "/memory" });
  const { path, data, score, writer, why, passage, label } = file;
  return (
    <li className="flex flex-col gap-1.5 rounded-lg border border-line bg-sheet px-4 py-3">
      <div className="flex flex-wrap items-baseline justify-between gap-3 text-[13px]">
        <button
          type="button"
          className="font-mono underline decoration-line underline-offset-2 hover:text-ink"
          onClick={() => void navigate({ search: (before) => ({ ...before, path }) })}
        >
          {path}
        </button>
        <span className="figures flex items-baseline gap-4 text-faint">
          {label === undefined ? null : <LabelMark label={label} />}
          {writer === null ? null : <RunLink pid={writer} />}
          {score.toFixed(2)}
        </span>
      </div>
      <p>{passage?.text ?? inLine(data)}</p>
      {why === undefined || why.length === 0 ? null : (
        <p className="text-xs text-faint">{why.map(({ says }) => says).join("; ")}</p>
      )}
    </li>
  );
}

function LabelMark({ label }: { label: string }) {
  const colour = labelColour(label);
  return colour === undefined ? <>{label}</> : <ColourMark colour={colour} label={label} />;
}
