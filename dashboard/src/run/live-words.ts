// LiveWords: what a model says while it says it: the stream of `attach`, of which only the words are taken. They are
// provisional: the record that follows is final.
//
// LIVE-WORDS-1  A record of a call ends its words; a restart of the answer forgets them.

import { useEffect, useRef, useState } from "react";
import { API_ROOT } from "@aos/protocol/words";

interface Told {
  readonly record?: unknown;
  readonly progress?: { readonly kind: string; readonly text: string };
}

/** Words of the answer under way; empty when there is none. `seen` is the last record that is known. */
export function useLiveWords(pid: string, isLive: boolean, seen: number): string {
  const [words, say] = useState("");
  const from = useRef(seen);
  useEffect(() => {
    if (!isLive) return;
    const over = new AbortController();
    void follow(`${pid}/attach?after=${from.current}`, over.signal, (told) => {
      if (told.record !== undefined || told.progress?.kind === "restart") say(""); // LIVE-WORDS-1
      else if (told.progress?.kind === "text") say((before) => before + told.progress!.text);
    }).catch(() => {}); // The records come by another way.
    return () => {
      over.abort();
      say("");
    };
  }, [pid, isLive]);
  return words;
}

async function follow(
  stream: string,
  signal: AbortSignal,
  take: (told: Told) => void,
): Promise<void> {
  const { body } = await fetch(`${API_ROOT}/processes/${stream}`, {
    signal,
    credentials: "same-origin",
  });
  if (body === null) return;
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line !== "") take(JSON.parse(line) as Told);
  }
}
