// What can be done to a run that lives: pause it, let it go on, move it to another lane, stop it, kill it.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { lanes, type Lane, type ProcessDetail, type SignalName } from "@aos/protocol/words";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";

export function Signals({ run: { pid, state, lane } }: { run: ProcessDetail }) {
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  const [isSure, ask] = useState(false);
  const sending = useMutation({
    mutationFn: (signal: SignalName) => daemon.signal({ pid, signal }),
    onSettled: () => client.invalidateQueries(),
  });
  const moving = useMutation({
    mutationFn: (to: Lane) => daemon.nice({ pid, lane: to }),
    onSettled: () => client.invalidateQueries(),
  });
  if (caller?.role !== "operator") return null;

  const send = (signal: SignalName) => () => sending.mutate(signal);
  return (
    <div className="flex flex-col items-end gap-2">
      <div className="flex flex-wrap gap-2">
        {isSure ? (
          <>
            <Button onClick={() => ask(false)}>Keep it</Button>
            <Button tone="bad" onClick={send("SIGKILL")} disabled={sending.isPending}>
              Kill it, with its children
            </Button>
          </>
        ) : (
          <>
            {state === "paused" ? (
              <Button onClick={send("SIGCONT")} disabled={sending.isPending}>
                Go on
              </Button>
            ) : (
              <Button onClick={send("SIGSTOP")} disabled={sending.isPending}>
                Pause
              </Button>
            )}
            <select
              aria-label="Lane"
              value={lane}
              className="h-9 rounded-md border border-line bg-sheet px-2"
              onChange={({ target }) => moving.mutate(target.value as Lane)}
            >
              {lanes.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
            <Button onClick={send("SIGTERM")} disabled={sending.isPending}>
              Stop
            </Button>
            <Button tone="bad" onClick={() => ask(true)}>
              Kill
            </Button>
          </>
        )}
      </div>
      {sending.error === null ? null : <Failure error={sending.error} />}
      {moving.error === null ? null : <Failure error={moving.error} />}
    </div>
  );
}
