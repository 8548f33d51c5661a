// infer: a model is asked, in its turn, and again where that may help.
//
// I1  A request waits for a place (slot), and is a model's work only while one is working on it: what is
//     killed before has cost nothing.
// I2  Every try that was sent may have cost something: before the next one that is counted, and covered.
// I3  What does not fit into the model's window is refused before it is sent, and who comes near it is told
//     (fullness.ts).
// I4  Who falls back on another model needs the right to use that one too.
// I5  Who asks through another driver takes the place, and is held to the limits, of the model that is asked.

import type { InferReply, Json, Label, SyscallArgs } from "@aos/protocol";
import { NOTHING, plus, type Amount } from "../../budget/accounts.ts";
import { failedCost } from "../../process/spending.ts";
import type { Answer, Answered, Asked, World } from "../answer.ts";
import { drive, type Work } from "./devices.ts";
import { isNewlyFull, refuseOverflow } from "./fullness.ts";

type Request = SyscallArgs<"infer">;
/** What the tries before have cost, and the model of the present one. */
interface Tries {
  spent: Amount;
  at: string;
}
type Replied = InferReply & { readonly usd: number | null };

export const infer: Answer<"infer"> = (world, args, asked) => {
  const limitMs = Math.min(asked.permit.timeoutMs ?? Infinity, args.timeoutMs ?? Infinity);
  const window = refuseOverflow(world, asked, args);
  const tries: Tries = { spent: NOTHING, at: args.model };
  return drive(
    world,
    asked,
    limitMs,
    (work) => ask(world, args, asked, work, tries),
    (came) => answered(world, args, asked, { ...came, window, spent: tries.spent }),
  );
};

async function ask(
  world: World,
  args: Request,
  asked: Asked,
  work: Work,
  tries: Tries,
): Promise<{ model: string; result: Replied; label: Label | undefined }> {
  const { process, call, action } = asked;
  const { passesOn, provider } = world.devices.model(args.model);
  const worstAt = (model: string) => worstOf(world, args, action.worst, model);
  call.waitsOn = "slot"; // I1
  const came = await world.slots.run(
    {
      tenant: process.tenantName,
      model: passesOn?.(args.model) ?? args.model, // I5
      lane: process.lane,
      deadlineAt: process.deadlineAt,
      tokens: action.worst.tokens,
      signal: work.signal,
      mayUse: (model) => mayUse(world, args, asked, { model, spent: tries.spent }),
      onWait: (isWaiting) => {
        call.waitsOn = isWaiting ? "slot" : "model";
      },
      onRetry: (failure, next) => {
        tries.spent = plus(tries.spent, failedCost(failure, worstAt(tries.at)));
        call.tried = tries.spent;
        tries.at = next;
        coverAgain(world, args, asked, { model: next, spent: tries.spent });
        work.progress({ kind: "restart", text: "" });
      },
      onHedge: () => {
        // Of two tries the one that is stopped may have cost all that it could.
        const both = plus(tries.spent, worstAt(tries.at));
        coverAgain(world, args, asked, { model: tries.at, spent: both });
        tries.spent = both;
        call.tried = both;
      },
    },
    (place, signal) => {
      const model = passesOn === undefined ? place : `${provider}/${place}`;
      return world.devices.model(model).infer({ ...args, model }, work.until(signal));
    },
  );
  return { ...came, label: work.said };
}

/** I4. Another model may cost more, or nobody knows what. */
function mayUse(
  world: World,
  args: Request,
  asked: Asked,
  { model, spent }: { model: string; spent: Amount },
): boolean {
  try {
    asked.authorize({ kind: "model", resource: model, verb: "infer" });
    coverAgain(world, args, asked, { model, spent });
    return true;
  } catch {
    return false;
  }
}

/** I2. What is reserved is the worst case of the next try, and what those before it have cost. */
function coverAgain(
  world: World,
  args: Request,
  { call, action }: Asked,
  { model, spent }: { model: string; spent: Amount },
): void {
  const worst = worstOf(world, args, action.worst, model);
  const purpose = { nowMs: world.platform.now(), what: `model:${model}` };
  call.hold?.growTo(plus(worst, spent), purpose);
}

/** What one try at this model can cost at most. */
function worstOf(world: World, args: Request, asked: Amount, model: string): Amount {
  if (model === args.model) return asked;
  const { usd, tokens } = world.devices.model(model).worstCase({ ...args, model });
  return { usd: usd ?? 0, tokens, toolCalls: 0, ...(usd === null ? UNPRICED : {}) };
}

function answered(
  world: World,
  args: Request,
  { process, call }: Asked,
  came: {
    model: string;
    result: Replied;
    label: Label | undefined;
    window: number | null;
    spent: Amount;
  },
): Answered {
  const { usd, ...reply } = came.result;
  const window = came.window ?? reply.context?.window ?? null;
  const tokens = reply.usage.inputTokens + reply.usage.outputTokens;
  const own: Amount = { usd: usd ?? 0, tokens, toolCalls: 0, ...(usd === null ? UNPRICED : {}) };
  const value = {
    ...reply,
    ...(came.model === args.model ? {} : { model: came.model }),
    ...(window === null ? {} : { context: { tokens, window } }),
  };
  call.model = came.model;
  const isToBeTold = isNewlyFull(process, args, { tokens, window });
  return {
    value: value as unknown as Json,
    spent: plus(came.spent, own),
    ...(came.label === undefined ? {} : { label: came.label }),
    ...(isToBeTold ? { after: () => world.tellFull(process) } : {}),
  };
}

const UNPRICED = { unpriced: true } as const;
