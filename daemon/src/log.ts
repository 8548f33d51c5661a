// Log: the messages of the daemon, one line each, as JSON or for people. Journals have what processes did.
//
// DAEMON-LOG-1  Every line is scrubbed before it is written, so no secret reaches the log. A line that cannot be
//     scrubbed is not written.
// DAEMON-LOG-2  Content cannot start a new line or control a terminal.

import { destination, pino, type Logger } from "pino";
import { escapeControls, prettyLine } from "./log-line.ts";

const STDERR = 2;

export const logFormats = ["auto", "json", "pretty"] as const;
export type LogFormat = (typeof logFormats)[number];

/** To a file where one is named, otherwise to standard error. Written at once: a crash loses nothing. */
export function openLog({
  level,
  format = "json",
  file,
  scrub,
  copy,
}: {
  level: string;
  /** `auto`: for people where people read it. */
  format?: LogFormat;
  file?: string;
  scrub: (text: string) => string;
  /** Whoever else is given every line, as JSON and scrubbed. */
  copy?: (line: string) => void;
}): Logger {
  const lines = destination({ dest: file ?? STDERR, sync: true, mode: 0o600 });
  // A full disk takes no log lines either. That must not be what ends the daemon.
  lines.on("error", () => {});
  const isRead = file === undefined && process.stderr.isTTY;
  const isPretty = format === "pretty" || (format === "auto" && isRead);
  const hasColors = isRead && process.env["NO_COLOR"] === undefined;
  const shape = (line: string) => (isPretty ? prettyLine(line, hasColors) : escapeControls(line));
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    {
      write(line: string) {
        const safe = scrubbed(line, scrub);
        lines.write(shape(safe));
        copy?.(safe);
      },
    },
  );
}

/** DAEMON-LOG-1. */
function scrubbed(line: string, scrub: (text: string) => string): string {
  try {
    return scrub(line);
  } catch {
    return '{"level":50,"msg":"a log line could not be redacted and was dropped"}\n';
  }
}
