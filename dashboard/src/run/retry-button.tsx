// RetryButton: repeats the call of a record in a fork, or goes on with a result that a person wrote instead.

import type { JournalRecord } from "@aos/protocol/words";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { daemon } from "../api/daemon.ts";
import { Button } from "../parts/button.tsx";
import { ModalDialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { Field, inputStyle } from "../parts/field.tsx";
import { readJson } from "../parts/read-json.ts";

export function RetryButton({ pid, record }: { pid: string; record: JournalRecord | undefined }) {
  const [isOpen, open] = useState(false);
  if (record === undefined || !("n" in record)) return null;
  return (
    <>
      <Button onClick={() => open(true)}>Retry this call</Button>
      <ModalDialog title={`Retry call ${record.n}`} isOpen={isOpen} onClose={() => open(false)}>
        <RetryForm pid={pid} record={record} onClose={() => open(false)} />
      </ModalDialog>
    </>
  );
}

type CallLike = Extract<JournalRecord, { n: number }>;

function RetryForm(props: { pid: string; record: CallLike; onClose: () => void }) {
  const { pid, record, onClose } = props;
  const before = "ok" in record ? JSON.stringify(record.ok, null, 2) : "";
  const navigate = useNavigate();
  const [isOwn, choose] = useState(false);
  const [draft, write] = useState(before);
  const retrying = useMutation({
    mutationFn: async () =>
      daemon.retry({ pid, from: record.n, ...(isOwn ? { result: readJson(draft) } : {}) }),
    onSuccess: ({ pid: fork }) => {
      onClose();
      void navigate({ to: "/runs/$pid", params: { pid: fork } });
    },
  });
  return (
    <>
      <p className="text-soft">
        A new run shares everything before call {record.n}, and goes on from there.
      </p>
      <label className="flex items-baseline gap-2">
        <input type="checkbox" checked={isOwn} onChange={({ target }) => choose(target.checked)} />
        Do not make the call; use this result
      </label>
      {isOwn ? (
        <Field name="Result" note="JSON">
          <textarea
            rows={6}
            value={draft}
            className={`${inputStyle} font-mono text-[12.5px]`}
            onChange={({ target }) => write(target.value)}
          />
        </Field>
      ) : null}
      {retrying.error === null ? null : <Failure error={retrying.error} />}
      <div className="flex gap-2">
        <Button tone="main" disabled={retrying.isPending} onClick={() => retrying.mutate()}>
          {isOwn ? "Go on with this result" : "Make the call again"}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </>
  );
}
