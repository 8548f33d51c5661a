// PrintUntrusted: one line for each folder of an agent whose `.agents` is not trusted and was therefore left out.
// print-problems.ts reports its AGENTS.md.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CommandCall } from "./command.ts";
import { printable } from "./printable.ts";

export async function printUntrusted(
  { client, endpoint, out }: Pick<CommandCall, "client" | "endpoint" | "out">,
  folders: readonly (string | undefined)[],
): Promise<string[]> {
  const said: string[] = [];
  if (endpoint.remote !== undefined) return said;
  for (const folder of new Set(folders)) {
    if (folder === undefined || !existsSync(join(folder, ".agents"))) continue;
    // Who may not look is not told; the agent is.
    const look = await client.lookAtFolder({ folder }).catch(() => undefined);
    if (look === undefined || look.state === "trusted" || look.state === "nothing") continue;
    const change = look.state === "changed" ? "has changed since it was trusted" : "is not trusted";
    out.note(printable(`.agents of ${look.folder} ${change}: aos trust ${look.folder}`));
    said.push(look.folder);
  }
  return said;
}
