// Graceful stop: from the word to stop to nothing being left open.
//
//   stop()     begins it; again does nothing
//   stopping   aborted when it begins: nothing new is taken from then on
//   closing    aborted when what was under way is over, or its time is; who still waits is told so
//
// GRACEFUL-STOP-1  What was begun has the time of `drain` to end, and what it comes to is recorded:
//     nothing is in doubt at the next start but what is named in the log.

import type { Kernel } from "@aos/kernel";
import type { Logger } from "pino";

export interface GracefulStop {
  readonly stopping: AbortSignal;
  readonly closing: AbortSignal;
  stop(): void;
}

export function gracefulStop(
  kernel: () => Pick<Kernel, "drain"> | undefined,
  { withinMs, log }: { withinMs: number; log: Pick<Logger, "info" | "warn"> },
): GracefulStop {
  const stopping = new AbortController();
  const closing = new AbortController();
  const rest = async () => {
    const cut = (await kernel()?.drain({ withinMs })) ?? [];
    if (cut.length > 0)
      log.warn({ cut }, "these calls did not end in time; their external effects are in doubt");
  };
  return {
    stopping: stopping.signal,
    closing: closing.signal,
    stop() {
      if (stopping.signal.aborted) return;
      log.info({ withinMs }, "stopping");
      stopping.abort();
      rest()
        .catch((error: unknown) => log.warn({ err: error }, "some running calls did not end"))
        .finally(() => closing.abort());
    },
  };
}
