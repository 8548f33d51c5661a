// Take back: what a run that has ended did outside is taken back, for a person who asks for it (`aos undo`). It is a
// process of its own, with the capabilities of the run, so that policy, budget, approval and journal are as for any.

import {
  type ArmedCall,
  exitCodes,
  type Json,
  type Program,
  SysError,
  type WorkflowOutcome,
} from "@aos/protocol";
import { compensate } from "./compensate.ts";

export const takeBackProgram: Program = async (sys, input) => {
  const { armed } = (input ?? {}) as { readonly armed?: unknown };
  if (!Array.isArray(armed))
    throw new SysError("EINVAL", "there is nothing to take back", { hint: "aos undo PID" });
  const { undone, lasting, left } = await compensate(sys, armed as ArmedCall[]);
  const outcome: WorkflowOutcome = {
    status: lasting.length === 0 ? "completed" : "failed",
    result: null,
    failed: null,
    undone,
    lasting,
    armed: left,
    faults: [],
  };
  const output = outcome as unknown as Json;
  if (lasting.length === 0) return output;
  const steps = lasting.map(({ step, why }) => `${step} (${why})`).join("; ");
  return sys.exit(exitCodes.failed, output, `not taken back: ${steps.slice(0, 900)}`);
};
