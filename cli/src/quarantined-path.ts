// Quarantined path: what `aos mem approve` and `aos mem reject` are about, the path of a fact of an agent.

import { SysError } from "@aos/protocol/words";

export function quarantinedPath(path: string): string {
  if (/^\/mem\/agents\/[^/]+\/semantic\/./.test(path)) return path;
  throw new SysError("EINVAL", `${path} is not the path of a fact of an agent`, {
    hint: "write /mem/agents/SPACE/semantic/…; `aos mem search WORDS --label untrusted` finds facts in quarantine",
  });
}
