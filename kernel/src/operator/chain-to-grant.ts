// Finds the chain of a process that allows handing on a whole grant.

import { SysError } from "@aos/protocol";
import { parseCapability } from "../capability/index.ts";
import type { Process } from "../process/process.ts";
import { mayGrant } from "./may-grant.ts";

/** The handle of the first chain by which all of it may be handed on. */
export function chainToGrant(
  from: Process,
  capabilities: readonly string[],
  nowMs: number,
  by: string | undefined,
): string {
  const wanted = capabilities.map(parseCapability);
  let why = "it holds no capability";
  for (const { handle, block } of from.holdings) {
    if (by !== undefined && handle !== by) continue;
    const refused = wanted
      .map((capability) => mayGrant(block, capability, nowMs))
      .find(({ allow }) => !allow);
    if (refused === undefined) return handle;
    if (!refused.allow) ({ why } = refused);
  }
  throw new SysError(
    "EACCES",
    `\`${from.row.agent}\` may not grant ${capabilities.join(", ")}: ${why}`,
    {
      detail: { check: "capability", grant: [...capabilities] },
    },
  );
}
