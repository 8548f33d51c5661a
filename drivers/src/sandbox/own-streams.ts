// Own streams: standard input and output that are the program's alone. bubblewrap keeps those that it was
// started with for as long as it watches the program, so nobody would notice that the program closed
// them. They are put aside where bubblewrap closes what it does not need, and put back inside.
//
// OWN-STREAMS-1  When the program and what it started have closed their output, its reader is told so.
// OWN-STREAMS-2  The program has its three streams and nothing of ours beside them.

import { INFO_FD } from "./bubblewrap-arguments.ts";
import type { RunRequest } from "./sandbox.ts";

/** One digit: some shells know no others. */
const [INPUT, OUTPUT] = [INFO_FD + 1, INFO_FD + 2];

/** A relay would keep them, too, so a run with a proxy does without. */
export const hasOwnStreams = ({ output, network }: RunRequest): boolean =>
  output === "stream" && network === "none";

/** For the shell that starts bubblewrap. */
export const PUT_ASIDE = ` ${INPUT}<&0 ${OUTPUT}>&1 </dev/null >/dev/null`;

/** OWN-STREAMS-2 */
export const restoreStreams = (command: readonly string[]): readonly string[] => [
  "/bin/sh",
  "-c",
  `exec "$@" <&${INPUT} >&${OUTPUT} ${INPUT}<&- ${OUTPUT}>&-`,
  "sh",
  ...command,
];
