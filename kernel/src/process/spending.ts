// Spending: the accounts that a call is charged to, and the row of its cost.

import { costOf, countOf, SysError, usdOf } from "@aos/protocol";
import { NOTHING, plus, type Amount, type SpendPurpose } from "../budget/accounts.ts";
import { NO_OVERRUN, type Overrun } from "../budget/cover.ts";
import { hourOf } from "../budget/gauges.ts";
import type { SpendRow } from "../store/spend-row.ts";
import { isWithDriver, type PendingCall } from "./pending-call.ts";
import type { Process } from "./process.ts";

type Named = Pick<PendingCall, "name" | "args"> & { readonly model?: string };

/** `model:NAME` or `tool:NAME`. */
export function spendTarget({ name, args, model }: Named): string {
  const asked = (args ?? {}) as { model?: unknown; tool?: unknown };
  if (name === "infer") return `model:${model ?? String(asked.model)}`;
  return name === "exec" ? ofTool(String(asked.tool)) : `call:${name}`;
}

/** Names of tools as they are paid for: made once, since each is in a row of every call. */
const byTool = new Map<string, string>();
const MAX_TOOLS = 1000;

function ofTool(name: string): string {
  const known = byTool.get(name);
  if (known !== undefined) return known;
  if (byTool.size >= MAX_TOOLS) byTool.clear();
  const what = `tool:${name}`;
  byTool.set(name, what);
  return what;
}

/** When and for what an action wants money. */
export const purposeOf = (
  {
    call: name,
    args,
    worst,
    fitting,
  }: {
    call: PendingCall["name"];
    args: PendingCall["args"];
    worst: Amount;
    fitting?: number | undefined;
  },
  nowMs: number,
): SpendPurpose => ({ nowMs, what: worst === NOTHING ? "" : spendTarget({ name, args }), fitting });

/** What it cost, in the hour in which that was reserved: its windows are those. */
export const spendOf = (
  { tenant, row }: Pick<Process, "tenant" | "row">,
  call: PendingCall,
  { microUsd, tokens, toolCalls, unpriced }: Amount,
  nowMs: number,
  over: Overrun = NO_OVERRUN,
): SpendRow => ({
  tenant,
  hour: hourOf(call.hold?.atMs ?? nowMs),
  agent: row.agent,
  root: row.root,
  what: spendTarget(call),
  microUsd,
  tokens,
  toolCalls,
  calls: 1,
  unpriced: unpriced === true ? 1 : 0,
  overMicroUsd: over.microUsd,
  overTokens: over.tokens,
});

/** What a try that failed has cost: what its driver says, and nothing where the model never began. */
export function failedCost(failure: unknown, worst: Amount): Amount {
  if (!(failure instanceof SysError)) return worst;
  const { spent } = (failure.detail ?? {}) as { spent?: { usd?: unknown; tokens?: unknown } };
  return spent === undefined || spent === null
    ? NOTHING
    : {
        microUsd: costOf(spent.usd) ?? worst.microUsd,
        tokens: countOf(spent.tokens) ?? worst.tokens,
        toolCalls: 0,
      };
}

/**
 * What a call that failed has cost. A tool that ran counts. A model that was stopped, or ran out of time,
 * may have cost all that was reserved; one that failed by itself, what it says, and its tries before.
 */
export function costOfFailed(call: PendingCall, failure: SysError): Amount {
  const { hold, tried = NOTHING, waitsOn } = call;
  if (hold === undefined) return NOTHING;
  if (waitsOn === "tool") return hold.worst;
  if (waitsOn !== "model") return tried;
  if (call.isStopped === true || failure.code === "ETIMEDOUT") return hold.worst;
  const last = failedCost(failure, hold.worst);
  return tried === NOTHING ? last : plus(tried, last);
}

/** What the tools and models that work for it may have cost, as they are stopped now: it is settled. */
export function recordLostWork(process: Process, nowMs: number): void {
  for (const call of process.pending.values()) {
    if (!isWithDriver(call) || call.hold === undefined) continue;
    const { worst } = call.hold;
    call.hold.settle(worst, nowMs);
    if (worst !== NOTHING) process.lost.push(spendOf(process, call, worst, nowMs));
  }
}

/** What was lost and stands in no record yet: the rows, and what the record says of them. */
export function takeLostWork(process: Process): {
  readonly spend: readonly SpendRow[];
  readonly cost: { readonly usd?: number; readonly tokens?: number };
} {
  const spend = process.lost.splice(0);
  const usd = usdOf(spend.reduce((sum, row) => sum + row.microUsd, 0));
  const tokens = spend.reduce((sum, row) => sum + row.tokens, 0);
  return { spend, cost: { ...(usd > 0 ? { usd } : {}), ...(tokens > 0 ? { tokens } : {}) } };
}
