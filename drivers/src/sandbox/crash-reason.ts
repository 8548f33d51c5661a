// Crash reason: extracts the reason from the standard error of a crashed program. A loader prints the reason first
// and then a long stack, so the last lines alone would lose it.
//
// CRASH-REASON-1  A line that names an error is kept, wherever it is; stack frames are not.
// CRASH-REASON-2  The result has at most MOST_LINES and MOST_CHARACTERS.

const MOST_LINES = 10;
const MOST_CHARACTERS = 2000;
const LONGEST_LINE = 500;

const FRAME = /^\s+(at |\^|~|File "|\.\.\. )|^\s*$|^node:internal|^Node\.js v\d/;
const REASON =
  /(Error|Exception|Cannot find|No module named|not found|No such file|panic|fatal|denied)/i;

/** CRASH-REASON-1, CRASH-REASON-2. */
export function crashReason(stderr: string): string {
  const lines = stderr.trimEnd().split("\n");
  const telling = lines.filter((line) => !FRAME.test(line));
  const all = telling.length === 0 ? lines : telling;
  const reasons = all.filter((line) => REASON.test(line)).slice(0, MOST_LINES / 2);
  const last = new Set(all.slice(reasons.length - MOST_LINES));
  const kept = all.filter((line) => reasons.includes(line) || last.has(line));
  return kept
    .slice(-MOST_LINES)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
    .join("\n")
    .slice(0, MOST_CHARACTERS);
}
