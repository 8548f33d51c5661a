// PastActs: what can be done with a run that has ended: replay it and compare every byte, or make a test of it.

import type { ProcessDetail } from "@aos/protocol/words";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { ModalDialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { formatCount } from "../parts/format.ts";
import { ValueView } from "../parts/value.tsx";

export function PastActs({ run: { pid } }: { run: ProcessDetail }) {
  const { data: caller } = useQuery(me);
  const [isTest, show] = useState(false);
  const replaying = useMutation({ mutationFn: () => daemon.replay({ pid }) });
  const making = useMutation({ mutationFn: () => daemon.recordTest({ pid }) });
  if (caller?.role !== "operator") return null;
  return (
    <div className="flex flex-col items-end gap-2">
      <div className="flex flex-wrap gap-2">
        <Button disabled={replaying.isPending} onClick={() => replaying.mutate()}>
          {replaying.isPending ? "Replaying …" : "Replay and verify"}
        </Button>
        <Button
          disabled={making.isPending}
          onClick={() => making.mutate(undefined, { onSuccess: () => show(true) })}
        >
          {making.isPending ? "Making it …" : "Make a test"}
        </Button>
      </div>
      {replaying.data === undefined ? null : (
        <p
          role="status"
          className={`text-[13px] font-medium ${replaying.data.identical ? "text-good" : "text-bad"}`}
        >
          {replaying.data.identical
            ? `✓ ${formatCount(replaying.data.records)} records, identical`
            : "✗ It is not the same any more"}
        </p>
      )}
      {replaying.error === null ? null : <Failure error={replaying.error} />}
      {making.error === null ? null : <Failure error={making.error} />}
      <ModalDialog
        title={`Test ${making.data?.name ?? ""}`}
        isOpen={isTest}
        onClose={() => show(false)}
      >
        {making.data === undefined ? null : (
          <>
            <p className="text-soft">
              Two files for the <code>tests</code> folder of the agent: the test, and the script of
              its model. <code>aos test</code> runs it.
            </p>
            <ValueView of={making.data.text} />
            <ValueView of={making.data.script} />
            <Button onClick={() => show(false)}>Close</Button>
          </>
        )}
      </ModalDialog>
    </div>
  );
}
