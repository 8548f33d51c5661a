// Pipe place: what a spawn says of the stage that it starts.
//
// PIPE-PLACE-1  Items go from one child to another child of the same process, and a value comes from a child.
// PIPE-PLACE-2  A check that could never be understood is refused before the stage begins.

import {
  agentOfSpawn,
  pipeEdgeName,
  schemaFlaw,
  SysError,
  type PipeEdge,
  type SyscallArgs,
} from "@aos/protocol";
import { openness } from "../label/endorsement.ts";
import { readLabel } from "../label/label.ts";
import type { PipePlace, ProcessRow } from "../store/rows.ts";
import type { CallContext } from "../syscall/syscall-handler.ts";
import type { ProcessServices } from "./services.ts";

export async function pipePlaceOf(
  { journal }: ProcessServices,
  args: SyscallArgs<"spawn">,
  { process, action }: CallContext,
): Promise<PipePlace | undefined> {
  const { from, pipe } = args;
  const isChild = (row: ProcessRow | undefined): row is ProcessRow => row?.parent === process.key;
  if (from !== undefined && !isChild(action.target)) throw notAChild("from", from);
  if (pipe?.out === undefined) return pipe as PipePlace | undefined;
  const { to, ...check } = pipe.out;
  mustBeCheck(check as PipeEdge);
  await journal.durable(); // the other may have been started just now
  const target = await journal.store.process(to);
  if (!isChild(target) || target.spec.pipe?.in !== true) throw notAChild("pipe.out.to", to);
  const edge = pipeEdgeName(process.row.agent, agentOfSpawn(args), target.agent);
  return { ...pipe, out: { ...check, to, key: target.key, edge } } as PipePlace;
}

/** PIPE-PLACE-1. */
const notAChild = (field: string, pid: string): SysError =>
  new SysError("EINVAL", `spawn: ${field}: ${pid} is no child of this process that fits`);

/** PIPE-PLACE-2. */
function mustBeCheck({ schema, label, endorse }: PipeEdge): void {
  const flaw = schema === undefined ? undefined : schemaFlaw(schema);
  if (flaw !== undefined) throw new SysError("EINVAL", `spawn: pipe.out.schema: ${flaw}`);
  if (endorse === true) {
    const open = label === undefined ? openness(schema) : "a check that endorses has no label";
    if (open !== undefined) throw new SysError("EINVAL", `${open}: it cannot endorse anything`);
  }
  if (label === undefined) return;
  try {
    readLabel(label);
  } catch {
    throw new SysError("EINVAL", `spawn: pipe.out.label: unknown label ${JSON.stringify(label)}`);
  }
}
