// Log: what the daemon says about itself, as JSON lines. What processes do is in their journals.

import { destination, pino, type Logger } from "pino";

const STDERR = 2;

/** To a file where one is named, otherwise to standard error. Written at once: a crash loses nothing. */
export function openLog({ level, file }: { level: string; file?: string }): Logger {
  const lines = destination({ dest: file ?? STDERR, sync: true, mode: 0o600 });
  // A full disk takes no log lines either. That must not be what ends the daemon.
  lines.on("error", () => {});
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    lines,
  );
}
