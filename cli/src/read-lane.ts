// A lane as people write it.

import { isLane, lanes, SysError, type Lane } from "@aos/protocol/words";

export function readLane(text: string): Lane {
  if (isLane(text)) return text;
  throw new SysError("EINVAL", `unknown lane ${JSON.stringify(text)}`, {
    hint: `the lanes are ${lanes.join(", ")}`,
  });
}
