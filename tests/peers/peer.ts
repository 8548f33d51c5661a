// Peer: a command of somebody else's that a test puts before or behind the daemon. They are installed by the
// first step of `npm test`; without it, whoever needs one is skipped by name.

import { existsSync } from "node:fs";
import { join } from "node:path";

export type PeerName =
  | "attw"
  | "codex"
  | "mcp-inspector"
  | "prism"
  | "publint"
  | "redocly"
  | "s3rver";

export function peerCommand(name: PeerName): string | undefined {
  const command = join(import.meta.dirname, "node_modules", ".bin", name);
  return existsSync(command) ? command : undefined;
}
