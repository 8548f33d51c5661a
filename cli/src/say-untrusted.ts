// SayUntrusted: one line for each folder that an agent was started from, or works in, that is not trusted:
// what it brings along was left out.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "./command.ts";
import { printable } from "./printable.ts";

export async function sayUntrusted(
  { client, place, out }: Pick<Call, "client" | "place" | "out">,
  folders: readonly (string | undefined)[],
): Promise<void> {
  if (place.remote !== undefined) return;
  for (const folder of new Set(folders)) {
    const brought =
      folder === undefined ? [] : BROUGHT.filter((name) => existsSync(join(folder, name)));
    if (brought.length === 0) continue;
    // Who may not look is not told; the agent is.
    const look = await client.lookAtFolder({ folder: folder! }).catch(() => undefined);
    if (look === undefined || look.state === "trusted" || look.state === "nothing") continue;
    const change = look.state === "changed" ? "has changed since it was trusted" : "is not trusted";
    out.note(
      printable(`${brought.join(" and ")} of ${look.folder} ${change}: aos trust ${look.folder}`),
    );
  }
}

const BROUGHT = ["AGENTS.md", ".agents"];
