// Flow: two checks of the judge about destinations: a secret leaving the machine, a signal to another process.

import { SysError, type SignalName } from "@aos/protocol";
import { mayLeave } from "../label/label.ts";
import type { Process } from "../process/process.ts";
import type { Action } from "./action.ts";
import type { JudgeRules } from "./judge.ts";
import { noFlow } from "./refusals.ts";

/** Both the one that sends and the one that would get it must be allowed the signal. */
export function allowedSignal(process: Process, { args, target }: Action, rules: JudgeRules): void {
  const { signal } = args as { signal: SignalName };
  const layers = [...rules.layersFor(process), ...(target?.spec.layers ?? [])];
  if (rules.policy().allowsSignal(layers, signal)) return;
  throw new SysError("EPOLICY", `the policy does not allow the signal ${signal}`);
}

export function checkLabels(process: Process, action: Action): void {
  if (action.sinks.includes("egress") && !mayLeave(process.label)) throw noFlow(process.label);
}
