// ForkButton: a new run that shares the history up to a record. What that may cost is shown before.

import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { daemon } from "../api/daemon.ts";
import { forkEstimate } from "../api/reports.ts";
import { Button } from "../parts/button.tsx";
import { ModalDialog } from "../parts/dialog.tsx";
import { Estimate } from "../parts/estimate.tsx";
import { Failure } from "../parts/failure.tsx";
import { Loaded } from "../parts/loaded.tsx";

export function ForkButton({ pid, at }: { pid: string; at: number }) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <Button onClick={() => open(true)}>Fork from here</Button>
      <ModalDialog title={`Fork after record ${at}`} isOpen={isOpen} onClose={() => open(false)}>
        <ForkForm pid={pid} at={at} onClose={() => open(false)} />
      </ModalDialog>
    </>
  );
}

function ForkForm({ pid, at, onClose }: { pid: string; at: number; onClose: () => void }) {
  const navigate = useNavigate();
  const estimate = useQuery(forkEstimate(pid, at));
  const forking = useMutation({
    mutationFn: () => daemon.fork({ pid, at }),
    onSuccess: ({ pid: fork }) => {
      onClose();
      void navigate({ to: "/runs/$pid", params: { pid: fork } });
    },
  });
  return (
    <>
      <p className="text-soft">
        The new run has the first {at + 1} records of this one. Everything after them happens anew:
        the model is asked again, and tools run again.
      </p>
      <Loaded query={estimate}>{(of) => <Estimate of={of} />}</Loaded>
      {forking.error === null ? null : <Failure error={forking.error} />}
      <div className="flex gap-2">
        <Button tone="main" disabled={forking.isPending} onClick={() => forking.mutate()}>
          Fork
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </>
  );
}
