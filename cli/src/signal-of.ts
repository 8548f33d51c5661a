// Parses signals on the command line; only names are accepted.

import { readSignalName, SysError, type SignalName } from "@aos/protocol/words";

export function signalOf(text: string): SignalName {
  const read = readSignalName(text);
  if (typeof read === "string") return read;
  throw new SysError("EINVAL", read.problem, { hint: "e.g. aos kill -KILL PID" });
}
