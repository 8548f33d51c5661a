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
  /** What is still to be taken back, the first first: a person can try it again. */
  readonly left: ArmedCall[];
}

type Tell = (event: {
  readonly step: string;
  readonly state: StepState;
  readonly question?: string;
  readonly error?: { readonly code: string; readonly message: string };
}) => void;

export async function compensate(
  sys: Sys,
  armed: readonly ArmedCall[],
  tell: Tell = () => {},
): Promise<CompensationReport> {
  const undone: string[] = [];
  const lasting: LastingCall[] = [];
  const left: ArmedCall[] = [];
  for (const act of armed.toReversed()) {
    tell({ step: act.step, state: "undoing" });
    const why = await takeBack(sys, act, (question) =>
      tell({ step: act.step, state: "undoing", question }),
    );
    if (why === undefined) undone.push(act.step);
    else {
      lasting.push({ step: act.step, tool: act.tool, why });
      left.unshift(act);
    }
    tell({ step: act.step, state: why === undefined ? "undone" : "lasting" });
  }
  return { undone, lasting, left };
}

/** Undefined where it is taken back; else why it is not. */
async function takeBack(
  sys: Sys,
  act: ArmedCall,
  asked: (question: string) => void,
): Promise<string | undefined> {
  const { tool, args, key, retry = PATIENT, timeoutMs, onDoubt } = act;
  const options = {
    key,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(onDoubt === undefined ? {} : { onDoubt }),
  };
  for (;;) {
    try {
      await attempts(sys, { retry }, () => sys.exec(tool, args, options));
      return undefined;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      const question = questionAbout(act, error);
      asked(question);
      const answer = await askPerson(sys, question);
      if (answer === "done") return undefined;
      if (answer !== "retry") return `${error.code}: ${error.message}`;
    }
  }
}

const MOST_ARGS = 1000;

function questionAbout({ step, tool, args }: ArmedCall, { code, message }: SysError): string {
  const shown = JSON.stringify(args).slice(0, MOST_ARGS);
  return `The step ${step} could not be taken back: ${tool} ${shown} failed with ${code}: ${message.slice(0, MOST_ARGS)}. Take it back by hand and answer "done", or say "retry" or "skip".`;
}

/** COMPENSATE-2. */
async function askPerson(sys: Sys, question: string): Promise<string> {
  try {
    return await sys.ask(question, { choices: ["retry", "done", "skip"] });
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    return "skip";
  }
}
