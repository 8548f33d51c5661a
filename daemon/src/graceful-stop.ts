// Graceful stop: from the stop request until everything is closed.
//
//   stop()     begins it; repeating does nothing
//   stopping   aborted when it begins: nothing new is accepted
//   closing    aborted when running work has ended, or at its limit; waiting callers are told
//
// GRACEFUL-STOP-1  Running work has `drain` to end, and its results are recorded: at the next start only what the log
//     names is in doubt.

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
