// Compensate: takes back what was done, the last first, one after another.
//
// COMPENSATE-1  Each call is made once: what is recorded is not made again after a crash, and its key is the same.
// COMPENSATE-2  One that fails is tried again by its rule, then a person is asked. Whatever that comes to, the others
//     go on.
// COMPENSATE-3  Nothing interrupts it: a second cancel changes nothing.

import {
  type ArmedCall,
  type LastingCall,
  type StepState,
  type Sys,
  SysError,
} from "@aos/protocol";
import { attempts, PATIENT } from "./attempts.ts";

export interface CompensationReport {
  readonly undone: string[];
  readonly lasting: LastingCall[];
}

type Tell = (event: {
  readonly step: string;
  readonly state: StepState;
  readonly error?: { readonly code: string; readonly message: string };
}) => void;

export async function compensate(
  sys: Sys,
  armed: readonly ArmedCall[],
  tell: Tell = () => {},
): Promise<CompensationReport> {
  const undone: string[] = [];
  const lasting: LastingCall[] = [];
  for (const act of armed.toReversed()) {
    tell({ step: act.step, state: "undoing" });
    const why = await takeBack(sys, act);
    if (why === undefined) undone.push(act.step);
    else lasting.push({ step: act.step, tool: act.tool, why });
    tell({ step: act.step, state: why === undefined ? "undone" : "lasting" });
  }
  return { undone, lasting };
}

/** Undefined where it is taken back; else why it is not. */
async function takeBack(sys: Sys, act: ArmedCall): Promise<string | undefined> {
  const { tool, args, key, retry = PATIENT, timeoutMs } = act;
  const options = { key, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  for (;;) {
    try {
      await attempts(sys, { retry }, () => sys.exec(tool, args, options));
      return undefined;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      const answer = await askPerson(sys, act, error);
      if (answer === "done") return undefined;
      if (answer !== "retry") return `${error.code}: ${error.message}`;
    }
  }
}

const MOST_ARGS = 1000;

/** COMPENSATE-2. */
async function askPerson(
  sys: Sys,
  { step, tool, args }: ArmedCall,
  { code, message }: SysError,
): Promise<string> {
  const shown = JSON.stringify(args).slice(0, MOST_ARGS);
  try {
    return await sys.ask(
      `The step ${step} could not be taken back: ${tool} ${shown} failed with ${code}: ${message.slice(0, MOST_ARGS)}. Take it back by hand and answer "done", or say "retry" or "skip".`,
      { choices: ["retry", "done", "skip"] },
    );
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    return "skip";
  }
}
