// infer: asks a model, in its turn, with retries.
//
// INFER-1  A request waits for an inference slot and counts as model work only while it holds one: a request that is
//     killed before has cost nothing.
// INFER-2  Every attempt may have cost something: it is counted and covered before the next.
// INFER-3  A request above the model's window is refused before it is sent; a nearly full context is signalled
//    .
// INFER-4  A fallback to another model needs the right to use that model too.
// INFER-6  Usage reported by a driver is an external figure; an invalid one counts as the worst case.
// INFER-5  A request through another driver uses the slot and the limits of the model that answers.
//
// Context overflow: how much of a model's window a context uses, and the signal about it.
//
// CONTEXT-OVERFLOW-1  A request with more tokens than the model's window is refused before it is sent.
// CONTEXT-OVERFLOW-2  After the first answer the provider's own count is used.
// CONTEXT-OVERFLOW-3  SIGCTX is sent once, and again only after the context was shorter.

import {
  costOf,
  countOf,
  type InferReply,
  isSummaryRequest,
  type Json,
  type Label,
  type SyscallArgs,
  SysError,
  usdOf,
} from "@aos/protocol";
import { type Amount, NOTHING, plus } from "../budget/accounts.ts";
import { formatCapability, holdMoney, lacksMoney } from "../capability/index.ts";
import type { Process } from "../process/process.ts";
import { failedCost } from "../process/spending.ts";
import { worstOf } from "../syscall/action.ts";
import type { CallContext, SyscallHandler, SyscallResult } from "../syscall/syscall-handler.ts";
import type { DriverCall } from "./devices.ts";
import { runDriverTask } from "./driver-task.ts";
import type { ModelServices } from "./services.ts";

type Request = SyscallArgs<"infer">;
/** What the tries before have cost, and the model of the present one. */
interface Tries {
  spent: Amount;
  at: string;
}
type Replied = InferReply & { readonly usd: number | null };

export const infer: SyscallHandler<"infer", ModelServices> = (services, given, asked) => {
  const { maxTokens } = asked.action; // what the budget leaves (output-limit.ts)
  const args = maxTokens === undefined ? given : { ...given, maxTokens };
  const limitMs = Math.min(
    asked.permit.timeoutMs ?? Infinity,
    args.timeoutMs ?? Infinity,
    asked.process.manifest.timeouts?.model ?? Infinity,
  );
  const window = refuseOverflow(services, asked, args);
  const tries: Tries = { spent: NOTHING, at: args.model };
  return runDriverTask(services, asked, limitMs, {
    run: (work) => ask(services, args, asked, work, tries),
    answer: (came) => answered(services, args, asked, { ...came, window, spent: tries.spent }),
  });
};

async function ask(
  services: ModelServices,
  args: Request,
  asked: CallContext,
  work: DriverCall,
  tries: Tries,
): Promise<{ model: string; result: Replied; label: Label | undefined }> {
  const { process, call, action } = asked;
  const { passesOn, provider } = services.devices.model(args.model);
  const worstAt = (model: string) => worstAtModel(services, args, action.worst, model);
  call.waitsOn = "slot"; // INFER-1
  const came = await services.slots.run(
    {
      tenant: process.tenantName,
      model: passesOn?.(args.model) ?? args.model, // INFER-5
      lane: process.lane,
      deadlineAt: process.deadlineAt,
      tokens: action.worst.tokens,
      signal: work.signal,
      mayUse: (model) => mayUse(services, args, asked, { model, spent: tries.spent }),
      onWait: (isWaiting) => {
        call.waitsOn = isWaiting ? "slot" : "model";
      },
      onRetry: (failure, next) => {
        tries.spent = plus(tries.spent, failedCost(failure, worstAt(tries.at)));
        call.tried = tries.spent;
        tries.at = next;
        coverAgain(services, args, asked, { model: next, spent: tries.spent });
        work.progress({ kind: "restart", text: "" });
      },
      onHedge: () => {
        // Of two tries the one that is stopped may have cost all that it could.
        const both = plus(tries.spent, worstAt(tries.at));
        coverAgain(services, args, asked, { model: tries.at, spent: both });
        tries.spent = both;
        call.tried = both;
      },
    },
    (place, signal) => {
      const model = passesOn === undefined ? place : `${provider}/${place}`;
      return services.devices.model(model).infer({ ...args, model }, work.until(signal));
    },
  );
  return { ...came, label: work.said };
}

/** INFER-4. Another model may cost more, or an unknown price. */
function mayUse(
  services: ModelServices,
  args: Request,
  asked: CallContext,
  { model, spent }: { model: string; spent: Amount },
): boolean {
  try {
    asked.authorize({ kind: "model", resource: model, verb: "infer" });
    coverAgain(services, args, asked, { model, spent });
    return true;
  } catch {
    return false;
  }
}

/** INFER-2. What is reserved is the worst case of the next try, and what those before it have cost. */
function coverAgain(
  services: ModelServices,
  args: Request,
  { call, action, permit }: CallContext,
  { model, spent }: { model: string; spent: Amount },
): void {
  const worst = plus(worstAtModel(services, args, action.worst, model), spent);
  const short = lacksMoney(permit.charges, worst.microUsd);
  if (short !== undefined)
    throw new SysError(
      "EBUDGET",
      `another try could cost ${usdOf(worst.microUsd)} usd in all, more than is left of ${formatCapability(short.capability)}`,
    );
  const purpose = { nowMs: services.platform.now(), what: `model:${model}` };
  call.hold?.growTo(worst, purpose);
  holdMoney(permit.charges, worst.microUsd);
}

/** What one try at this model can cost at most. */
function worstAtModel(
  services: ModelServices,
  args: Request,
  asked: Amount,
  model: string,
): Amount {
  return model === args.model ? asked : worstOf(services.devices.model(model), { ...args, model });
}

function answered(
  services: ModelServices,
  args: Request,
  { process, call, action }: CallContext,
  came: {
    model: string;
    result: Replied;
    label: Label | undefined;
    window: number | null;
    spent: Amount;
  },
): SyscallResult {
  const { usd, usage: said, ...rest } = came.result;
  const worst = worstAtModel(services, args, action.worst, came.model);
  const { usage, isSound } = soundUsage(said, worst);
  const reply = { ...rest, usage };
  const window = came.window ?? reply.context?.window ?? null;
  const tokens = isSound ? usage.inputTokens + usage.outputTokens : worst.tokens;
  const microUsd = usd === null ? 0 : (costOf(usd) ?? worst.microUsd); // INFER-6
  const own: Amount = { microUsd, tokens, toolCalls: 0, ...(usd === null ? UNPRICED : {}) };
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
    ...(isToBeTold ? { after: () => services.tellFull(process) } : {}),
  };
}

/** INFER-6. The counts of an answer as whole numbers from nothing up. */
function soundUsage(said: InferReply["usage"] | undefined, { tokens }: Amount) {
  const [input, output] = [countOf(said?.inputTokens), countOf(said?.outputTokens)];
  if (input === undefined || output === undefined)
    return { usage: { inputTokens: tokens, outputTokens: 0 }, isSound: false };
  const part = (name: "cachedTokens" | "cacheWriteTokens" | "reasoningTokens", most: number) => {
    const count = countOf(said?.[name]);
    return count === undefined ? {} : { [name]: Math.min(count, most) };
  };
  const usage: InferReply["usage"] = {
    inputTokens: input,
    outputTokens: output,
    ...part("cachedTokens", input),
    ...part("cacheWriteTokens", input),
    ...part("reasoningTokens", output),
  };
  return { usage, isSound: true };
}

const UNPRICED = { unpriced: true } as const;

/** How full a context is when its process is told so, unless its manifest says. */
const NEARLY_FULL = 0.7;

/** CONTEXT-OVERFLOW-1. Returns the window that is to be used; null where none is known. */
function refuseOverflow(
  services: ModelServices,
  { process }: CallContext,
  args: Request,
): number | null {
  const chosen = process.manifest.context?.window;
  const measured = services.devices.model(args.model).measure?.(args);
  if (measured === undefined) return chosen ?? null;
  const { window: own } = measured.card;
  if (own !== null && measured.tokens > own)
    throw new SysError(
      "ECONTEXT",
      `${args.model} takes in ${own} tokens, and these messages have ${measured.tokens}`,
      {
        hint: "shorten the messages; an agent compacts its context at context.compactAt of its manifest",
        detail: { tokens: measured.tokens, window: own },
      },
    );
  return own === null ? (chosen ?? null) : Math.min(own, chosen ?? own);
}

/** Those that were told, and whose context has not become shorter since. */
const told = new WeakSet<Process>();

/** CONTEXT-OVERFLOW-3. True when it is to be told now. */
function isNewlyFull(
  process: Process,
  { messages }: Request,
  { tokens, window }: { tokens: number; window: number | null },
): boolean {
  if (window === null || isSummaryRequest(messages)) return false; // a request for a summary is no separate turn
  const isFull = tokens >= (process.manifest.context?.compactAt ?? NEARLY_FULL) * window;
  const wasTold = told.has(process);
  if (isFull) told.add(process);
  else told.delete(process);
  return isFull && !wasTold;
}
