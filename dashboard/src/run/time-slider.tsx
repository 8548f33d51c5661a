// TimeSlider: goes back in the journal of a run. The views show what was so after the chosen record; from there the run
// can be forked, or a call repeated, with what it may cost beforehand.

import type { JournalRecord, ProcessDetail } from "@aos/protocol/words";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { me } from "../api/queries.ts";
import { momentAt } from "../api/reports.ts";
import { Button } from "../parts/button.tsx";
import { formatCount, formatUsd } from "../parts/format.ts";
import { ColourMark } from "../parts/marks.tsx";
import { ForkButton } from "./fork-button.tsx";
import { RetryButton } from "./retry-button.tsx";

export function TimeSlider(props: {
  run: ProcessDetail;
  records: readonly JournalRecord[];
  at: number | undefined;
}) {
  const { run, records, at } = props;
  const navigate = useNavigate({ from: "/runs/$pid" });
  const { data: caller } = useQuery(me);
  const last = records.at(-1)?.seq ?? 0;
  const first = records[0]?.seq ?? 0;
  if (last <= first) return null;
  const place = at ?? last;
  const go = (to: number | undefined) =>
    void navigate({
      search: (before) => ({ ...before, at: to === last ? undefined : to }) as never,
      replace: true,
    });
  const record = records.find(({ seq }) => seq === place);
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line bg-sheet px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <input
          type="range"
          aria-label="Record"
          aria-valuetext={`record ${place} of ${last}`}
          min={first}
          max={last}
          value={place}
          className="min-w-40 flex-1 accent-accent"
          onChange={({ target }) => go(Number(target.value))}
        />
        <span className="figures text-[13px] text-soft">
          record {formatCount(place)} of {formatCount(last)}
        </span>
        {at === undefined ? null : <Button onClick={() => go(undefined)}>Back to the end</Button>}
        {caller?.role === "operator" ? (
          <>
            <ForkButton pid={run.pid} at={Math.min(place, beforeEnd(records))} />
            <RetryButton pid={run.pid} record={record} />
          </>
        ) : null}
      </div>
      {at === undefined ? null : <Moment pid={run.pid} seq={at} />}
    </div>
  );
}

/** The last record that can be shared: what comes after an end would never run. */
function beforeEnd(records: readonly JournalRecord[]): number {
  const end = records.findLastIndex(({ kind }) => kind !== "end");
  return records[end]?.seq ?? 0;
}

function Moment({ pid, seq }: { pid: string; seq: number }) {
  const { data } = useQuery(momentAt(pid, seq));
  if (data === undefined) return null;
  return (
    <p className="figures flex flex-wrap items-baseline gap-x-5 text-[13px] text-soft">
      <span>{new Date(data.record.at).toLocaleString()}</span>
      <span>
        had read <ColourMark colour={data.colour} label={data.label} />
      </span>
      <span>
        spent {formatUsd(data.spent.usd)}, {formatCount(data.spent.tokens)} tokens
      </span>
    </p>
  );
}
