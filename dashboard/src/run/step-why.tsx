// StepWhy: why a call was allowed or refused, asked for on demand.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { why } from "../api/queries.ts";
import { Failure } from "../parts/failure.tsx";
import { ColourMark, labelColour } from "../parts/marks.tsx";
import { ValueView } from "../parts/value.tsx";
import { Part } from "./part.tsx";

/** What the gate looked at: asked for only when somebody wants to know. */
export function StepWhy({ pid, seq }: { pid: string; seq: number }) {
  const [isAsked, ask] = useState(false);
  const { data, error } = useQuery({ ...why(pid, seq), enabled: isAsked });
  if (!isAsked) {
    return (
      <button
        type="button"
        className="self-start text-[13px] text-soft underline underline-offset-2 hover:text-ink"
        onClick={() => ask(true)}
      >
        Explain this decision
      </button>
    );
  }
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return null;
  const colour = labelColour(data.label);
  return (
    <Part name="Why">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5 text-[13px]">
        <dt className="text-faint">outcome</dt>
        <dd>{data.outcome}</dd>
        <dt className="text-faint">had read</dt>
        <dd>
          {colour === undefined ? null : <ColourMark colour={colour} />} {data.label}
        </dd>
        {data.touches.length === 0 ? null : (
          <>
            <dt className="text-faint">touches</dt>
            <dd className="font-mono text-xs leading-5">
              {data.touches.map(({ kind, resource, verb }) => (
                <div key={`${kind}:${resource}:${verb}`}>{`${kind}:${resource}:${verb}`}</div>
              ))}
            </dd>
          </>
        )}
        {data.blocks.length === 0 ? null : (
          <>
            <dt className="text-faint">by</dt>
            <dd className="font-mono text-xs leading-5">
              {data.blocks.map(({ block, capability }, index) => (
                <div key={`${block}${index}`}>{capability ?? `no capability of ${block}`}</div>
              ))}
            </dd>
          </>
        )}
      </dl>
      {data.detail === undefined ? null : <ValueView of={data.detail} />}
    </Part>
  );
}
