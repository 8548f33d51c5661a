// Subject: an action as the policy sees it.

import { usdOf, type Json } from "@aos/protocol";
import type { Subject } from "../policy/index.ts";
import type { Process } from "../process/process.ts";
import type { Action } from "./action.ts";

/** The arguments that pins and conditions speak of: a tool's own, or the call's. */
export function argsOf(action: Pick<Action, "call" | "args">): Json {
  const args = action.args as { [name: string]: Json } | null;
  return (action.call === "exec" ? args?.["args"] : args) ?? null;
}

export function subjectOf(
  process: Process,
  action: Action,
  judged: { readonly pinned: boolean; readonly atMs: number; readonly isBegun: boolean },
): Subject {
  const { account, row } = process;
  const model = (action.args as { model?: unknown } | null)?.model;
  return {
    call: action.call,
    args: argsOf(action),
    agent: row.agent,
    tenant: process.tenantName,
    pid: process.pid,
    depth: row.depth,
    tool: action.tool?.name,
    model: action.model !== undefined && typeof model === "string" ? model : undefined,
    target:
      action.target === undefined
        ? undefined
        : { pid: action.target.pid, agent: action.target.agent },
    ...(action.edge === undefined ? {} : { edge: action.edge }),
    touches: action.touches,
    label: process.label,
    effect: action.effect,
    sinks: action.sinks,
    pinned: judged.pinned,
    morePower: action.morePower,
    undoable: action.isUndoable,
    cost: {
      usd: usdOf(action.worst.microUsd),
      tokens: action.worst.tokens,
      toolCalls: action.worst.toolCalls,
    },
    spent: { usd: usdOf(account.microUsd), tokens: account.tokens, toolCalls: account.toolCalls },
    atMs: judged.atMs,
    isBegun: judged.isBegun,
  };
}
