// infer: a model is asked, in its turn, and again where that may help.
//
// I1  A request waits for a place (slot), and is a model's work only while one is working on it: what is
//     killed before has cost nothing.
// I2  Every try that was sent may have cost something: before the next one that is counted, and covered.
// I3  What does not fit into the model's window is refused before it is sent.
// I4  Who falls back on another model needs the right to use that one too.

import { SysError, type InferReply, type Json, type SyscallArgs } from "@aos/protocol";
import { NOTHING, plus, type Amount } from "../../budget/accounts.ts";
import type { Answer, Answered, Asked, World } from "../answer.ts";
import { drive, type Work } from "./devices.ts";

/** How full a context is when its process is told so, unless its manifest says. */
const NEARLY_FULL = 0.7;

type Request = SyscallArgs<"infer">;
type Replied = InferReply & { readonly usd: number | null };

export const infer: Answer<"infer"> = (world, args, asked) => {
  const limitMs = Math.min(asked.permit.timeoutMs ?? Infinity, args.timeoutMs ?? Infinity);
  const window = refuseOverflow(world, asked, args);
  const tries = { spent: NOTHING };
  return drive(
    world,
    asked,
    limitMs,
    (work) => ask(world, args, asked, work, tries),
    ({ model, result }) => answered(world, args, asked, { model, result, window, ...tries }),
  );
};

/** I3. */
function refuseOverflow(world: World, { process }: Asked, args: Request): number | null {
  const measured = world.devices.model(args.model).measure?.(args);
  if (measured === undefined) return null;
  const { window: own } = measured.card;
  const chosen = process.manifest.context?.window;
  const window = own === null ? (chosen ?? null) : Math.min(own, chosen ?? own);
  if (own !== null && measured.tokens > own)
    throw new SysError(
      "ECONTEXT",
      `${args.model} takes in ${own} tokens, and these messages have ${measured.tokens}`,
      { hint: "show it less: an agent compacts its context at context.compactAt of its manifest" },
    );
  return window;
}

async function ask(
  world: World,
  args: Request,
  asked: Asked,
  work: Work,
  tries: { spent: Amount },
): Promise<{ model: string; result: Replied }> {
  const { process, call, action } = asked;
  call.waitsOn = "slot"; // I1
  return world.slots.run(
    {
      tenant: process.tenantName,
      model: args.model,
      lane: process.lane,
      deadlineAt: process.deadlineAt,
      tokens: action.worst.tokens,
      signal: work.signal,
      mayUse: (model) => mayUse(asked, model),
      onWait: (isWaiting) => {
        call.waitsOn = isWaiting ? "slot" : "model";
      },
      onRetry: (failure) => {
        tries.spent = plus(tries.spent, spentBy(failure, action.worst));
        coverAgain(asked, tries.spent);
        work.progress({ kind: "restart", text: "" });
      },
    },
    (model, signal) => world.devices.model(model).infer({ ...args, model }, work.until(signal)),
  );
}

/** I4. */
function mayUse(asked: Asked, model: string): boolean {
  try {
    asked.authorize({ kind: "model", resource: model, verb: "infer" });
    return true;
  } catch {
    return false;
  }
}

/** What a try that failed has cost: what its driver says, and nothing where the model never began. */
function spentBy(failure: unknown, worst: Amount): Amount {
  if (!(failure instanceof SysError)) return worst;
  const { spent } = (failure.detail ?? {}) as { spent?: { usd?: number; tokens?: number } };
  return spent === undefined
    ? NOTHING
    : { usd: spent.usd ?? worst.usd, tokens: spent.tokens ?? worst.tokens, toolCalls: 0 };
}

/** I2. What was reserved is the worst case of one try, and what those before it have cost. */
function coverAgain({ process, call, action }: Asked, spent: Amount): void {
  const needed = plus(action.worst, spent);
  const held = call.worst ?? action.worst;
  const more = { ...NOTHING, usd: needed.usd - held.usd, tokens: needed.tokens - held.tokens };
  if (more.usd <= 0 && more.tokens <= 0) return;
  process.account.reserve(more);
  call.worst = needed;
}

function answered(
  world: World,
  args: Request,
  { process, call }: Asked,
  came: { model: string; result: Replied; window: number | null; spent: Amount },
): Answered {
  const { usd, ...reply } = came.result;
  const tokens = reply.usage.inputTokens + reply.usage.outputTokens;
  const own: Amount = { usd: usd ?? 0, tokens, toolCalls: 0, ...(usd === null ? UNPRICED : {}) };
  const value = {
    ...reply,
    ...(came.model === args.model ? {} : { model: came.model }),
    ...(came.window === null ? {} : { context: { tokens, window: came.window } }),
  };
  call.model = came.model;
  const full = (process.manifest.context?.compactAt ?? NEARLY_FULL) * (came.window ?? Infinity);
  return {
    value: value as unknown as Json,
    spent: plus(came.spent, own),
    ...(tokens < full ? {} : { after: () => world.tellFull(process) }),
  };
}

const UNPRICED = { unpriced: true } as const;
