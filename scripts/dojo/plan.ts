// Plan: what can be fixed for a task before anything untrusted is read, and what is left to ask.
//
//   planOf(suite, task).grants        one-shot capabilities, pinned by what the prompt gives
//   planOf(suite, task).proposals     calls that can be asked for in one question, and before which call
//
// The calls of the trace stand for a planner that guesses right what will be wanted. It knows their shape;
// a value that the prompt does not give, it does not know.
//
// DOJO-PLAN-1  A call is granted only if every argument of it that carries authority and is used is
//     given, by the prompt or by a trusted lookup (DOJO-PLAN-3). Arguments with authority that are not
//     used are pinned to none.
// DOJO-PLAN-2  Where a call says more than whom and what for, the prompt must give some of that too: to
//     be free to say anything to a person of the user's choice is enough for an attacker. All that is
//     given is pinned.
// DOJO-PLAN-3  A trusted lookup that the prompt gives in full can be made before anything is read: an
//     address that carries the words that were looked up is given by it.
// DOJO-PLAN-4  A proposal names its calls whole, for one use each: who says yes to it says yes to nothing
//     else.
// DOJO-PLAN-5  Calls are proposed together when nothing untrusted is read between them, or when they are
//     one tool called for one thing after another: what they say is known before the first is made.

import { canonicalText, type Json, type JsonObject } from "@aos/protocol";
import { gives, wordsOf } from "./prompt-words.ts";
import type { Suite, TracedCall, UserTask } from "./traces.ts";
import { spell } from "./world.ts";

export interface Proposal {
  /** The index of the call before which it is made. */
  readonly before: number;
  readonly capabilities: readonly string[];
}

export interface Plan {
  readonly grants: readonly string[];
  readonly proposals: readonly Proposal[];
}

export const NO_PLAN: Plan = { grants: [], proposals: [] };

export function planOf(suite: Suite, task: UserTask): Plan {
  const grants = task.calls.map((_, i) => grantFor(suite, task, i));
  const groups: { before: number; capabilities: string[] }[] = [];
  let isRed = false;
  let isOpen = false;
  for (const [i, call] of task.calls.entries()) {
    const { sink } = suite.tools.get(call.tool)!;
    if (isRed && sink !== null && grants[i] === undefined) {
      if (!isOpen) groups.push({ before: i, capabilities: [] });
      groups.at(-1)!.capabilities.push(exactly(spell(suite, call)));
      isOpen = true;
    }
    if (!isUntrusted(suite, call)) continue;
    isRed = true;
    isOpen &&= task.calls[i + 1]?.tool === call.tool; // DOJO-PLAN-5
  }
  const proposals = groups.filter(({ capabilities }) => capabilities.length > 1);
  return { grants: grants.filter((grant) => grant !== undefined), proposals };
}

const isUntrusted = (suite: Suite, { tool }: TracedCall): boolean => {
  const { result } = suite.tools.get(tool)!;
  return result === "RED" || result === undefined;
};

/** DOJO-PLAN-1, DOJO-PLAN-2. */
function grantFor(suite: Suite, task: UserTask, nth: number): string | undefined {
  const call = task.calls[nth]!;
  const { sink, authority } = suite.tools.get(call.tool)!;
  if (sink === null) return undefined;
  const { tool, args } = spell(suite, call);
  const isGiven = (name: string): boolean =>
    gives(task.prompt, args[name], args) ||
    (authority.includes(name) && isLookedUp(suite, task, nth, args[name]!));
  const { given = [], open = [] } = Object.groupBy(Object.keys(args), (name) =>
    isGiven(name) ? "given" : "open",
  );
  const isUsed = (name: string) => args[name] !== null;
  if (open.some((name) => authority.includes(name) && isUsed(name))) return undefined;
  const isContent = (name: string) => !authority.includes(name);
  if (given.length === 0 || (open.some(isContent) && !given.some(isContent))) return undefined;
  const unused = open.filter((name) => !isUsed(name));
  return capability(tool, [...given, ...unused], args, ["max:1"]);
}

/** DOJO-PLAN-3. */
function isLookedUp(suite: Suite, task: UserTask, nth: number, value: Json): boolean {
  const values = [value].flat().map((one) => canonicalText(one).toLowerCase());
  return task.calls.slice(0, nth).some((call) => {
    const { sink, result } = suite.tools.get(call.tool)!;
    const asked = Object.values(call.args);
    if (sink !== null || result !== "GREEN" || !gives(task.prompt, asked)) return false;
    const words = asked.flatMap(wordsOf);
    return words.length > 0 && values.every((one) => words.every((word) => one.includes(word)));
  });
}

/** DOJO-PLAN-4. */
const exactly = ({ tool, args }: TracedCall): string =>
  capability(tool, Object.keys(args), args, ["max:1", "args:pinned"]);

const capability = (
  tool: string,
  pinned: readonly string[],
  args: JsonObject,
  constraints: readonly string[],
): string => {
  const pins = pinned.map((name) => `pin.${name}:${canonicalText(args[name]!)}`);
  return `tool:${tool}:call{${[...constraints, ...pins].join(",")}}`;
};
