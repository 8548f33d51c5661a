// What can be done to a run that lives: pause it, let it go on, end it.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ProcessDetail, SignalName } from "@aos/protocol/words";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";

export function Signals({ run: { pid, state } }: { run: ProcessDetail }) {
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  const [isSure, ask] = useState(false);
  const sending = useMutation({
    mutationFn: (signal: SignalName) => daemon.signal({ pid, signal }),
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
            <Button tone="bad" onClick={() => ask(true)}>
              Kill
            </Button>
          </>
        )}
      </div>
      {sending.error === null ? null : <Failure error={sending.error} />}
    </div>
  );
}
