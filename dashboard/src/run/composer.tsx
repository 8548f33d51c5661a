// Composer: where a person writes to an agent that stays. Enter sends, Shift+Enter begins a line.

import type { ProcessDetail } from "@aos/protocol/words";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type KeyboardEvent } from "react";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { manifestOf } from "../api/reports.ts";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";
import { inputStyle } from "../parts/field.tsx";

export function Composer({ run: { pid, agent } }: { run: ProcessDetail }) {
  const client = useQueryClient();
  const [draft, write] = useState("");
  const { data: caller } = useQuery(me);
  const { data: report } = useQuery(manifestOf(pid));
  const asking = useMutation({
    mutationFn: (input: string) => daemon.invoke({ pid, input }),
    onSettled: () => client.invalidateQueries(),
  });
  const stopping = useMutation({ mutationFn: () => daemon.signal({ pid, signal: "SIGUSR2" }) });
  const stays = (report?.manifest as { persistent?: unknown } | undefined)?.persistent === true;
  if (!stays || caller?.role !== "operator") return null;

  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (draft.trim() === "" || asking.isPending) return;
    asking.mutate(draft);
    write("");
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    send(event as never);
  };
  return (
    <form className="sticky bottom-0 flex flex-col gap-2 bg-ground py-3" onSubmit={send}>
      {asking.error === null ? null : <Failure error={asking.error} />}
      <div className="flex items-end gap-2">
        <textarea
          aria-label={`Message to ${agent}`}
          placeholder={`Message to ${agent}`}
          rows={2}
          value={draft}
          className={`${inputStyle} resize-y bg-sheet`}
          onChange={({ target }) => write(target.value)}
          onKeyDown={press}
        />
        {asking.isPending ? (
          <Button onClick={() => stopping.mutate()}>Stop answering</Button>
        ) : (
          <Button type="submit" tone="main" disabled={draft.trim() === ""}>
            Send
          </Button>
        )}
      </div>
    </form>
  );
}
