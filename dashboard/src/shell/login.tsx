// Login: the way in for whom the daemon does not know.

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { logIn } from "../api/daemon.ts";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";
import { Mark } from "./mark.tsx";

export function Login({ problem, onDone }: { problem: unknown; onDone: () => void }) {
  const [token, write] = useState("");
  const entering = useMutation({ mutationFn: logIn, onSuccess: onDone });
  const error = entering.error ?? problem;

  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-6 px-5 py-16">
      <div className="flex flex-col gap-2">
        <Mark />
        <h1 className="text-xl font-semibold tracking-tight">Log in</h1>
        <p className="text-soft">
          Open the address printed by <code className="font-mono text-[13px]">aos up</code>, or
          paste a token.
        </p>
      </div>
      {error === undefined || error === null ? null : <Failure error={error} />}
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          entering.mutate({ token: token.trim() });
        }}
      >
        <label className="flex flex-col gap-1.5 text-[13px] font-medium text-soft">
          Token
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            required
            value={token}
            onChange={(event) => write(event.target.value)}
            placeholder="aost_…"
            className="h-10 rounded-md border border-line bg-sheet px-3 font-mono text-[13px] text-ink placeholder:text-faint"
          />
        </label>
        <Button tone="main" type="submit" disabled={token.trim() === "" || entering.isPending}>
          Log in
        </Button>
      </form>
      <p className="text-[13px] text-faint">
        <code className="font-mono">aos token create --role approver</code> creates a token. This
        page stores a session cookie and the theme.
      </p>
    </main>
  );
}
