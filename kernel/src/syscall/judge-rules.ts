// The rules that the gate's judge applies besides capabilities: the policy in force and the spawn limits of
// process trees.

import type { Platform } from "../platform/clock.ts";
import type { Process } from "../process/process.ts";
import type { Policies } from "../policy/policies.ts";
import type { ProcessTrees } from "../process/trees.ts";

type Named = { readonly call: string };

const isSpawn = ({ call }: Named): boolean => call === "spawn";

/** The spawn limits are the gate's quotas: taken when a spawn is allowed, given back when it fails. */
export const judgeRulesOf = (
  policies: Policies,
  trees: ProcessTrees,
  platform: Pick<Platform, "wall">,
) => ({
  timeOfDay: () => platform.wall(),
  policy: () => policies.current,
  layersFor: (process: Pick<Process, "layers">) => policies.layersFor(process),
  quota: (process: Process, action: Named) => {
    if (isSpawn(action)) trees.refuseFull(process);
  },
  charge: (process: Process, action: Named) => {
    if (isSpawn(action)) trees.add(process.row.root, 1);
  },
  release: (process: Process, action: Named) => {
    if (isSpawn(action)) trees.add(process.row.root, -1);
  },
});
