// HoldingList: chains of capabilities, each with its blocks from the outermost to the last. A chain allows what every
// block of it allows.

import type { HoldingReport } from "@aos/protocol/words";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { Ago } from "../parts/ago.tsx";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Failure } from "../parts/failure.tsx";

export function HoldingList({ holdings }: { holdings: readonly HoldingReport[] }) {
  if (holdings.length === 0) return <EmptyState title="It holds no capability" />;
  return (
    <ul className="flex flex-col gap-3">
      {holdings.map((holding) => (
        <li
          key={holding.handle}
          className="flex flex-col gap-3 rounded-lg border border-line bg-sheet p-4"
        >
          <Holding holding={holding} />
        </li>
      ))}
    </ul>
  );
}

function Holding({ holding }: { holding: HoldingReport }) {
  const { handle, by, givenAt, state, chain, reason, expiresAt, standing } = holding;
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <p className="text-[13px] text-soft">
          <span className="font-medium text-ink">
            {handle === "birth" ? "By its manifest" : handle}
          </span>
          , given by {by} <Ago at={givenAt} />
          {state === "held" ? "" : `, ${state}`}
          {expiresAt === null ? "" : `, until ${new Date(expiresAt).toLocaleString()}`}
          {standing === null ? "" : `, by an "always" to ${standing}`}
          {reason === null ? "" : `: ${reason}`}
        </p>
        {state === "held" ? <Revoke id={holding.block} /> : null}
      </div>
      <ol className="flex flex-col gap-2">
        {chain.map(({ block, holder, revoked, capabilities }, depth) => (
          <li key={block} className="flex flex-col gap-1" style={{ paddingLeft: `${depth}rem` }}>
            <span className="text-xs text-faint">
              {depth === 0 ? "" : "└ narrowed for "}
              {holder}
              {revoked ? ", revoked" : ""}
            </span>
            <ul className="flex flex-col font-mono text-xs leading-5">
              {capabilities.map(({ text, uses }) => (
                <li key={text} className="flex justify-between gap-4">
                  <span className="break-all">{text}</span>
                  {uses === 0 ? null : (
                    <span className="figures shrink-0 text-faint">used {uses} times</span>
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </>
  );
}

function Revoke({ id }: { id: string }) {
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  const revoking = useMutation({
    mutationFn: () => daemon.revoke({ id }),
    onSettled: () => client.invalidateQueries(),
  });
  if (caller?.role !== "operator") return null;
  return (
    <div className="flex flex-col items-end gap-1">
      <Button tone="bad" disabled={revoking.isPending} onClick={() => revoking.mutate()}>
        Revoke
      </Button>
      {revoking.error === null ? null : <Failure error={revoking.error} />}
    </div>
  );
}
