// AgentsHere: the agent names that `aos run NAME` accepts: manifests of this folder's project and of the home.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Endpoint } from "./endpoint.ts";

export function agentsHere({ home, remote }: Endpoint): string[] {
  const folders = [
    join(".agents", "agents"),
    ...(remote === undefined ? [join(home, "agents")] : []),
  ];
  return [...new Set(folders.flatMap(namesOf))].toSorted();
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => file.slice(0, -".yaml".length));
  } catch {
    return [];
  }
}
