// GrantForm: gives a run, or all runs of an agent from now on, more capabilities. They are recorded with a reason.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";
import { Field, inputStyle } from "../parts/field.tsx";

export function GrantForm({ to }: { to: { pid: string } | { agent: string } }) {
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  const [text, write] = useState("");
  const [reason, say] = useState("");
  const granting = useMutation({
    mutationFn: () => daemon.grant({ ...to, capabilities: linesOf(text), reason }),
    onSuccess: () => {
      write("");
      say("");
      return client.invalidateQueries();
    },
  });
  if (caller?.role !== "operator") return null;
  return (
    <details className="rounded-lg border border-line bg-sheet px-4 py-3">
      <summary className="font-medium">Grant a capability</summary>
      <form
        className="flex flex-col gap-3 pt-3"
        onSubmit={(event) => {
          event.preventDefault();
          granting.mutate();
        }}
      >
        <Field
          name="Capabilities"
          note="One on each line: file:/work/**:read, http:api.example.com/**:get{rate:60/min}"
        >
          <textarea
            rows={3}
            value={text}
            className={`${inputStyle} font-mono text-[13px]`}
            onChange={({ target }) => write(target.value)}
          />
        </Field>
        <Field name="Reason" note="It is recorded.">
          <input
            value={reason}
            maxLength={1000}
            className={inputStyle}
            onChange={({ target }) => say(target.value)}
          />
        </Field>
        {granting.error === null ? null : <Failure error={granting.error} />}
        <Button
          type="submit"
          tone="main"
          className="self-start"
          disabled={granting.isPending || linesOf(text).length === 0}
        >
          Grant
        </Button>
      </form>
    </details>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
