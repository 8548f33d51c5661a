// Own streams: gives the program its own standard input and output. bubblewrap keeps the streams it was started with,
// so a program that closes them would go unnoticed. They are moved to descriptors that bubblewrap closes, and
// restored inside.
//
// OWN-STREAMS-1  When the program and its children have closed their output, the reader sees the end.
// OWN-STREAMS-2  The program has its three streams and no other descriptor.

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
