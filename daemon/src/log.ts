// Log: what the daemon says about itself, as JSON lines. What processes do is in their journals.
//
// G1  Every line is scrubbed before it is written: no secret reaches the log, whatever an error carries.
//     A line that cannot be scrubbed is not written.

import { destination, pino, type Logger } from "pino";

const STDERR = 2;

/** To a file where one is named, otherwise to standard error. Written at once: a crash loses nothing. */
export function openLog({
  level,
  file,
  scrub,
}: {
  level: string;
  file?: string;
  scrub: (text: string) => string;
}): Logger {
  const lines = destination({ dest: file ?? STDERR, sync: true, mode: 0o600 });
  // A full disk takes no log lines either. That must not be what ends the daemon.
  lines.on("error", () => {});
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    { write: (line: string) => void lines.write(scrubbed(line, scrub)) },
  );
}

/** G1. */
function scrubbed(line: string, scrub: (text: string) => string): string {
  try {
    return scrub(line);
  } catch {
    return '{"level":50,"msg":"a line of the log could not be scrubbed, and is left out"}\n';
  }
}
