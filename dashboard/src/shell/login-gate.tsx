// LoginGate: who is let in. The daemon says whether it knows the caller; who is not known logs in, with the
// address that the terminal printed or with a token.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { logIn, takeKey } from "../api/daemon.ts";
import { openEventStream } from "../api/event-stream.ts";
import { isStranger, me } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { Failure } from "../parts/failure.tsx";
import { Login } from "./login.tsx";
import { PageShell } from "./shell.tsx";

/** Once, before anything is asked: a key is good for one use only. */
const key = takeKey();
const arrival = key === undefined ? undefined : logIn({ key });
arrival?.catch(() => {}); // Said by whoever waits for it.

export function LoginGate() {
  const refused = useArrival();
  const { data, error, isPending, refetch } = useQuery({ ...me, enabled: refused !== "waiting" });

  if (refused === "waiting" || isPending) return null;
  if (isStranger(error)) {
    return <Login problem={refused} onDone={() => void queryClient.resetQueries()} />;
  }
  // Also while the daemon is away: what it said last is still worth seeing.
  if (data !== undefined) return <Inside />;
  return (
    <main className="mx-auto max-w-lg px-4 py-24">
      <Failure error={error} again={() => void refetch()} />
    </main>
  );
}

function Inside() {
  useEffect(() => {
    const live = openEventStream();
    return () => live.close();
  }, []);
  return <PageShell />;
}

/** What became of the key in the address. */
function useArrival(): unknown {
  const [refused, settle] = useState<unknown>(arrival === undefined ? undefined : "waiting");
  useEffect(() => {
    arrival?.then(
      () => settle(undefined),
      (error: unknown) => settle(error),
    );
  }, []);
  return refused;
}
