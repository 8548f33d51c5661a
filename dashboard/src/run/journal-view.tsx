// JournalView: the records as they are kept, a line each that opens.

import type { JournalRecord } from "@aos/protocol/words";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { formatCount } from "../parts/format.ts";
import { ValueView } from "../parts/value.tsx";
import { inLine } from "./timeline.ts";

const SHOWN = 300;

export function JournalView({ records }: { records: readonly JournalRecord[] }) {
  const [most, show] = useState(SHOWN);
  const hidden = Math.max(0, records.length - most);
  return (
    <div className="flex flex-col gap-2">
      {hidden === 0 ? null : (
        <Button onClick={() => show(most + 10 * SHOWN)}>{formatCount(hidden)} earlier</Button>
      )}
      <ol className="overflow-hidden rounded-lg border border-line bg-sheet">
        {records.slice(hidden).map((record) => (
          <li key={record.seq} className="border-b border-line last:border-b-0">
            <RecordLine record={record} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function RecordLine({ record }: { record: JournalRecord }) {
  const [isOpen, open] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary className="grid grid-cols-[4rem_6rem_minmax(0,1fr)] gap-x-3 px-4 py-1.5 font-mono text-xs leading-5 -outline-offset-2 hover:bg-raised/60">
        <span className="figures text-faint">{record.seq}</span>
        <span className="font-medium">{record.kind}</span>
        <span className="truncate text-soft">
          {"call" in record ? `${record.call} ${inLine(record.args)}` : inLine(record)}
        </span>
      </summary>
      {isOpen ? (
        <div className="border-t border-line px-4 py-3">
          <ValueView of={record} />
        </div>
      ) : null}
    </details>
  );
}
