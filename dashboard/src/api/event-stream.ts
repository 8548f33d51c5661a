// Event stream: the subscription of the page to the daemon. Every durable record arrives here and invalidates the
// queries that it affects.
//
//   openEventStream()                 from now on; `close` ends it
//   useLive()              its state: "opening", "live", "lost"
//
// EVENT-STREAM-1  A broken connection is reopened as long as the page is open.
// EVENT-STREAM-2  After each opening all queries are repeated, because events may have been missed.
// EVENT-STREAM-3  Many records at once cause one refresh, and many runs at once one a second.
// EVENT-STREAM-4  A hidden page holds no connection: a browser has six for all its tabs.

import { useSyncExternalStore } from "react";
import { API_ROOT } from "@aos/protocol/words";
import { queryClient } from "./query-client.ts";
import { refreshRuns } from "./run-list.ts";

const GATHER_MS = 120;
const GATHER_MANY_MS = 1_000;
const MANY = 20;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

type StreamState = "opening" | "live" | "lost";

let standing: StreamState = "opening";
const listeners = new Set<() => void>();

function stand(now: StreamState): void {
  if (standing === now) return;
  standing = now;
  for (const tell of listeners) tell();
}

const subscribe = (tell: () => void) => {
  listeners.add(tell);
  return () => void listeners.delete(tell);
};

export const useLive = (): StreamState => useSyncExternalStore(subscribe, () => standing);

export function openEventStream(): { close(): void } {
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let waitMs = FIRST_WAIT_MS;
  const touched = gather(lookAt);

  const connect = () => {
    if (document.hidden) return; // EVENT-STREAM-4
    source = new EventSource(`${API_ROOT}/events`);
    source.addEventListener("open", () => {
      waitMs = FIRST_WAIT_MS;
      stand("live");
      void queryClient.invalidateQueries(); // EVENT-STREAM-2
    });
    const hear = ({ lastEventId }: MessageEvent<string>) => {
      // `PID:SEQ`. The record itself, which may be large, is not parsed.
      touched.add(lastEventId.slice(0, lastEventId.indexOf(":")));
    };
    source.addEventListener("message", hear);
    source.addEventListener("error", () => {
      stand("lost");
      // Perhaps it knows us no longer.
      void queryClient.invalidateQueries({ queryKey: ["me"] });
      // EVENT-STREAM-1. The browser tries again by itself as long as nobody answers, in its own time; it gives up
      // when somebody answers with something else. Both are ours, so that the waits are.
      source?.close();
      clearTimeout(again);
      again = setTimeout(connect, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    });
  };
  const seen = () => {
    clearTimeout(again);
    source?.close();
    connect();
  };
  document.addEventListener("visibilitychange", seen);
  connect();

  return {
    close() {
      document.removeEventListener("visibilitychange", seen);
      clearTimeout(again);
      source?.close();
      touched.forget();
      stand("opening");
    },
  };
}

function lookAt(pids: ReadonlySet<string>): void {
  for (const pid of pids) {
    void queryClient.invalidateQueries({ queryKey: ["journal", pid] });
    void queryClient.invalidateQueries({ queryKey: ["run", pid] });
  }
  void queryClient.invalidateQueries({ queryKey: ["questions"] });
  // One that failed is repeated with the next record, or when the stream is opened again.
  refreshRuns(pids).catch(() => {});
}

/** EVENT-STREAM-3. */
function gather(act: (pids: ReadonlySet<string>) => void) {
  let held = new Set<string>();
  let waitMs = GATHER_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    add(pid: string) {
      held.add(pid);
      timer ??= setTimeout(() => {
        const all = held;
        held = new Set();
        timer = undefined;
        waitMs = all.size > MANY ? GATHER_MANY_MS : GATHER_MS;
        act(all);
      }, waitMs);
    },
    forget() {
      clearTimeout(timer);
      timer = undefined;
      held.clear();
    },
  };
}
