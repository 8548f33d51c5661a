// Output limit: how long a model's answer may be under the remaining budgets.
//
// OUTPUT-LIMIT-1  A request without `maxTokens` whose worst case exceeds a limit is limited to what fits, and its
//     record says so.
// OUTPUT-LIMIT-2  Of a large remainder one request takes half, so that others of the same budget can run.
// OUTPUT-LIMIT-3  A request with `maxTokens`, or with less than LEAST left, is refused with what would fit.

import type { ModelDriver, SyscallArgs } from "@aos/protocol";
import { toMicroUsd } from "@aos/protocol";
import type { Amount } from "../budget/accounts.ts";
import { decideAny } from "../capability/index.ts";
import type { Process } from "../process/process.ts";
import { worstOf, type Action } from "./action.ts";

type Request = SyscallArgs<"infer">;

/** What is left; Infinity where nothing limits it. */
export interface RemainingBudget {
  readonly microUsd: number;
  readonly tokens: number;
}

/** The shortest answer that is worth paying for, in tokens. */
const LEAST = 256;
/** OUTPUT-LIMIT-2: so much one request may always take. */
const MODEST = 8192;

/** The longest answer whose worst case fits, in tokens; 0 where none does. */
export function outputThatFits(
  model: ModelDriver,
  args: Request,
  worst: Amount,
  room: RemainingBudget,
): number {
  const fits = ({ microUsd, tokens }: Amount) => microUsd <= room.microUsd && tokens <= room.tokens;
  const at = (maxTokens: number) => worstOf(model, { ...args, maxTokens });
  let [low, high] = [0, worst.tokens];
  if (!fits(at(1))) return 0;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(at(middle))) low = middle;
    else high = middle;
  }
  return low;
}

/** OUTPUT-LIMIT-1, OUTPUT-LIMIT-2, OUTPUT-LIMIT-3: what a request would be sent with, or what would fit where it is refused. */
export function limitedOutput(
  model: ModelDriver,
  args: Request,
  worst: Amount,
  room: RemainingBudget,
): { readonly maxTokens?: number; readonly worst: Amount; readonly fitting?: number } {
  if (worst.unpriced === true && room.microUsd !== Infinity) return { worst };
  if (worst.microUsd <= room.microUsd && worst.tokens <= room.tokens) return { worst };
  const most = outputThatFits(model, args, worst, room);
  if (args.maxTokens !== undefined || most < LEAST) return { worst, fitting: most };
  const maxTokens = Math.max(Math.floor(most / 2), Math.min(most, MODEST));
  return { maxTokens, worst: worstOf(model, { ...args, maxTokens }) };
}

/** The action as it is judged and done: a model's answer within what is left now. */
export function withinBudget(action: Action, process: Process, nowMs: number): Action {
  if (action.model === undefined) return action;
  const args = action.args as unknown as Request;
  const room = {
    microUsd: Math.min(process.account.left("microUsd", nowMs), leftOfGrants(process, args, nowMs)),
    tokens: process.account.left("tokens", nowMs),
  };
  if (room.microUsd === Infinity && room.tokens === Infinity) return action;
  const limited = limitedOutput(action.model, args, action.worst, room);
  return limited.worst === action.worst && limited.fitting === undefined
    ? action
    : { ...action, ...limited };
}

/** The most that any one of its grants for this model has left. */
function leftOfGrants(process: Process, { model, by }: Request & { by?: string }, nowMs: number) {
  const { holdings } = process;
  if (![...holdings].some(({ block }) => isMoneyLimited(block))) return Infinity;
  const request = { kind: "model", resource: model, verb: "infer" } as const;
  let most = -1;
  for (const { handle } of holdings) {
    if (by !== undefined && by !== handle) continue;
    const decision = decideAny(holdings, request, nowMs, handle);
    if (!decision.allow) continue;
    const left = decision.limits.usd?.left;
    most = Math.max(most, left === undefined ? Infinity : toMicroUsd(left));
  }
  return most < 0 ? Infinity : most; // where none allows it, that is what it is told
}

type Chain = Process["holdings"] extends Iterable<{ readonly block: infer Block }> ? Block : never;

function isMoneyLimited(chain: Chain): boolean {
  for (let block: Chain | null = chain; block !== null; block = block.parent)
    for (const { capability } of block.byKind.get("model") ?? [])
      if (capability.constraints.usd !== undefined) return true;
  return false;
}
