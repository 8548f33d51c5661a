// Deeds: what a recorded call would do to the world, as docs/capabilities.md and the man pages say it.

import {
  syscalls,
  type Effect,
  type Json,
  type ModelDriver,
  type Sink,
  type Tool,
  type Touch,
} from "@aos/protocol";
import type { Life, Lives } from "./history.ts";
import { NotJudged } from "./policy.ts";

export interface Devices {
  readonly tools: readonly Tool[];
  readonly models: readonly ModelDriver[];
}

export interface Deed {
  readonly touches: readonly Touch[];
  readonly effect: Effect;
  /** Each of the ways in which it may have been judged. */
  readonly sinks: readonly (readonly Sink[])[];
  readonly morePower: readonly boolean[];
  readonly tool: string | undefined;
  readonly model: string | undefined;
  readonly args: Json;
  /** The arguments given that say to whom, where or how much. */
  readonly authority: readonly string[];
}

interface Args {
  readonly path?: string;
  readonly fd?: number;
  readonly mode?: string;
  readonly agent?: string;
  readonly pid?: string;
  readonly to?: string;
  readonly topic?: string;
  readonly tool?: string;
  readonly model?: string;
  readonly args?: Json;
}

const MEMORY: Readonly<Record<string, string>> = {
  read: "read",
  write: "write",
  list: "list",
  remove: "remove",
  search: "search",
};

function memory({ path, fd }: Args, verb: string): Touch[] {
  if (fd !== undefined) throw new NotJudged("a stream");
  if (path === undefined || path === "/self" || path.startsWith("/self/")) return [];
  return [{ kind: "memory", resource: path, verb }];
}

/** Parent and child need no capability for each other. */
function touchesOf(call: string, args: Args, life: Life, lives: Lives): Touch[] {
  const other = lives.get(args.pid ?? args.to ?? "");
  const isChild = other?.parent === life.pid;
  const isKin = isChild || (other !== undefined && other.pid === life.parent);
  if (call in MEMORY) return memory(args, MEMORY[call]!);
  switch (call) {
    case "open":
      return memory(args, args.mode === "append" ? "write" : "read");
    case "spawn":
      return [{ kind: "agent", resource: args.agent!, verb: "spawn" }];
    case "wait":
      if (life.ownFrom > 0) throw new NotJudged("a wait of a fork");
      return isChild ? [] : [{ kind: "agent", resource: args.pid!, verb: "wait" }];
    case "send":
    case "request":
    case "grant":
      return isKin ? [] : [{ kind: "message", resource: args.to!, verb: "send" }];
    case "publish":
    case "subscribe":
      return [{ kind: "message", resource: args.topic!, verb: call }];
    case "signal":
      return isChild ? [] : [{ kind: "signal", resource: args.pid!, verb: "send" }];
    case "infer":
      return [{ kind: "model", resource: args.model!, verb: "infer" }];
    default:
      return [];
  }
}

function sinksOf(tool: Tool, args: Json): readonly Sink[] {
  if (tool.sinks !== undefined) return tool.sinks(args);
  if (tool.effect === "external" || tool.egress === true) return ["egress"];
  return tool.effect === "idempotent" ? ["write"] : [];
}

export function deedOf(call: string, json: Json, life: Life, lives: Lives, devices: Devices): Deed {
  const args = (json ?? {}) as Args;
  if (JSON.stringify(json).includes('"$blob"')) throw new NotJudged("large arguments");
  const row = syscalls[call as keyof typeof syscalls];
  if (row === undefined) throw new NotJudged("no such call");
  if (call === "exec") {
    const tool = devices.tools.find(({ name }) => name === args.tool);
    if (tool === undefined) throw new NotJudged("a tool that is not here");
    const given = args.args ?? null;
    return {
      touches: [{ kind: "tool", resource: tool.name, verb: "call" }, ...tool.touches(given)],
      effect: tool.effect,
      sinks: [sinksOf(tool, given)],
      morePower: [false],
      tool: tool.name,
      model: undefined,
      args: given,
      authority: (tool.authority ?? []).filter((name) =>
        Object.hasOwn(Object(given) as object, name),
      ),
    };
  }
  const model = devices.models.find(({ provider }) => args.model?.startsWith(`${provider}/`));
  if (call === "infer" && model === undefined) throw new NotJudged("a model that is not here");
  const changes = call === "write" || call === "remove";
  return {
    touches: touchesOf(call, args, life, lives),
    effect: row.effect,
    sinks: changes
      ? [["write"], ["destructive"]]
      : [call === "infer" && model!.egress ? ["egress"] : []],
    morePower: call === "spawn" || call === "grant" ? [false, true] : [false],
    tool: undefined,
    model: call === "infer" ? args.model : undefined,
    args: json,
    authority: [],
  };
}
