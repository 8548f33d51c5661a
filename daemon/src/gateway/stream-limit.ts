// StreamLimit: limits the open event streams of one caller over the network: server-sent events, lines, and
// WebSockets.
//
// STREAM-LIMIT-1  A caller at its limit is refused another stream until one is closed; others are not affected. A
//     token and its sessions are one caller.

import { SysError } from "@aos/protocol";
import type { Caller } from "./caller.ts";

const RETRY_MS = 1000;

export class StreamLimit {
  readonly #perCaller: number;
  readonly #open = new Map<string, number>();

  constructor(perCaller: number) {
    this.#perCaller = perCaller;
  }

  /** Takes one, or throws (STREAM-LIMIT-1); what it returns gives it back, once. */
  take({ id, transport }: Pick<Caller, "id" | "transport">): () => void {
    if (transport === "socket") return () => {};
    const open = this.#open.get(id) ?? 0;
    if (open >= this.#perCaller) {
      throw new SysError(
        "EAGAIN",
        `this caller has ${open} open event streams, which is the limit`,
        {
          retryAfter: RETRY_MS,
          hint: "close one, or raise http.streams in config.yaml",
        },
      );
    }
    this.#open.set(id, open + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = (this.#open.get(id) ?? 1) - 1;
      if (left > 0) this.#open.set(id, left);
      else this.#open.delete(id);
    };
  }
}
