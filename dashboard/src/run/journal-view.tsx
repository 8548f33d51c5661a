// JournalView: the records as they are kept, a line each that opens.

import type { JournalRecord } from "@aos/protocol/words";
import { memo, useRef, useState } from "react";
import { ValueView } from "../parts/value.tsx";
import { useWindowed } from "../parts/windowed.ts";
import { inLine } from "./timeline.ts";

const ROW_PX = 33;

export function JournalView({ records }: { records: readonly JournalRecord[] }) {
  const list = useRef<HTMLOListElement>(null);
  const { shown, before, after, measure } = useWindowed(list, {
    count: records.length,
    rowPx: ROW_PX,
  });
  return (
    <ol
      ref={list}
      className="overflow-hidden rounded-lg border border-line bg-sheet"
      style={{ paddingTop: before, paddingBottom: after }}
    >
      {shown.map((index) => {
        const record = records[index];
        return record === undefined ? null : (
          <RecordLine key={record.seq} {...{ record, index, measure }} />
        );
      })}
    </ol>
  );
}

const RecordLine = memo(function RecordLine(props: {
  record: JournalRecord;
  index: number;
  measure: ((row: Element | null) => void) | undefined;
}) {
  const { record, index, measure } = props;
  const [isOpen, open] = useState(false);
  return (
    <li ref={measure} data-index={index} className="border-b border-line last:border-b-0">
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
    </li>
  );
});
