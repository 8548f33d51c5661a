// Deeds: what a recorded call would do to the world, as docs/capabilities.md and the man pages say it.

import {
  agentOfSpawn,
  syscalls,
  type CallPlace,
  type Effect,
  type Json,
  type Label,
  type ModelDriver,
  type Sink,
  type Tool,
  type Touch,
  type WorstCase,
} from "@aos/protocol";
import { isKeptApart, type Life, type Lives } from "./history.ts";
import type { Past } from "./past.ts";
import { worsens } from "./files.ts";
import { NotJudged } from "./selectors.ts";
import { NOTHING_SPENT, type Spent } from "./spending.ts";

export interface Devices {
  readonly tools: readonly Tool[];
  readonly models: readonly ModelDriver[];
}

export interface Deed {
  readonly touches: readonly Touch[];
  readonly effect: Effect;
  /** Each of the ways in which it may have been judged, by what its process had read. */
  readonly sinks: (label: Label) => readonly (readonly Sink[])[];
  /** A child could do what this process cannot. */
  readonly morePower: readonly boolean[];
  readonly undoable: boolean;
  readonly tool: string | undefined;
  readonly model: string | undefined;
  readonly args: Json;
  /** The arguments given that say to whom, where or how much. */
  readonly authority: readonly string[];
  /** The most that it can cost. A model may need the messages to say so, which are beside the record. */
  readonly worst: () => Spent;
  /** Of a pipe: between which stages it passes something. */
  readonly edge?: string | undefined;
  /** Whom it is for. */
  readonly target: { readonly pid: string; readonly agent: string } | undefined;
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
  readonly from?: string;
  readonly also?: readonly string[];
  readonly pipe?: { readonly out?: { readonly to: string } };
}

/** Where its items go, as its parent said when it started it. */
function edgeOf({ pid, agent, parent }: Life, lives: Lives): string | undefined {
  const above = parent === null ? undefined : lives.get(parent);
  const spawned = above?.records.find(
    (record) => record.kind === "call" && record.call === "spawn" && record.ok === pid,
  );
  if (spawned === undefined) return undefined;
  const to = ((spawned as { args?: Json }).args as Args).pipe?.out?.to;
  const next = to === undefined ? undefined : lives.get(to);
  return next === undefined ? undefined : `${above!.agent}/${agent}/${next.agent}`;
}

/** A spawn names the stage that its input is from; an item is written. */
function edgeIn(call: string, args: Args, life: Life, lives: Lives): string | undefined {
  if (call === "write" && args.path === "/ipc/pipes/out") return edgeOf(life, lives);
  if (call !== "spawn" || args.from === undefined) return undefined;
  const from = lives.get(args.from);
  return from === undefined ? undefined : `${life.agent}/${from.agent}/${args.agent}`;
}

/** The tools of these tests touch the same wherever they are called from. */
const placeOf = ({ workspace: { folder, isCow } }: Life): CallPlace => ({
  workspace: folder === null ? { isCow } : { folder, isCow },
});

const MEMORY: Readonly<Record<string, string>> = {
  read: "read",
  write: "write",
  list: "list",
  remove: "remove",
  search: "search",
};

function memory({ path, fd }: Args, verb: string, life: Life, seq: number): Touch[] {
  if (fd !== undefined) return memory({ path: openedAs(fd, life, seq) }, verb, life, seq);
  if (typeof path !== "string" || path === "/self" || path.startsWith("/self/")) return [];
  if (["read", "list"].includes(verb) && isOwn(path)) return [];
  if (verb === "search" && path.split("/")[1] === "ctx") return [];
  if (isPerhapsItsSpace(path, life)) throw new NotJudged("its own memory by its long name");
  return [{ kind: "memory", resource: path, verb }];
}

/** Which space it has the journal does not say. */
function isPerhapsItsSpace(path: string, { agent }: Life): boolean {
  const [, mem, agents, space = ""] = path.split("/");
  if (mem !== "mem" || agents !== "agents") return false;
  return space.split("~").at(-1)!.split("@")[0] === agent;
}

/** What a process sees of itself, and the folders that mounts are in. */
const isOwn = (path: string): boolean =>
  ["/", "/mnt", "/state"].includes(path) ||
  path.startsWith("/state/checkpoints") ||
  ["ctx", "ipc", "policy", "proc", "skills", "tools"].includes(path.split("/")[1]!);

/** Calls that are for a process. */
const DIRECTED: ReadonlySet<string> = new Set([
  "wait",
  "signal",
  "send",
  "request",
  "grant",
  "spawn",
]);

/** The path that a stream was opened with. */
function openedAs(fd: number, { records }: Life, seq: number): string {
  const opened = records.findLast(
    (record) =>
      record.seq < seq && record.kind === "call" && record.call === "open" && record.ok === fd,
  );
  const path = opened?.kind === "call" ? (opened.args as Args).path : undefined;
  if (path === undefined) throw new NotJudged("a stream that is not open");
  return path;
}

/** Parent and child need no capability for each other. */
function touchesOf(call: string, args: Args, life: Life, lives: Lives, seq: number): Touch[] {
  const isDirected = DIRECTED.has(call) && call !== "spawn";
  const pid = isDirected ? (args.to ?? args.pid) : undefined;
  if (call === "write" && edgeIn(call, args, life, lives) !== undefined) return [];
  if (call === "send" && pid === "operator") return [];
  if (pid !== undefined && pid !== life.parent && !lives.has(pid))
    throw new NotJudged("for somebody whose journal is not there");
  const isChild = pid !== undefined && lives.get(pid)?.parent === life.pid;
  const isKin = isChild || (pid !== undefined && pid === life.parent);
  if (call in MEMORY)
    return [
      ...memory(args, MEMORY[call]!, life, seq),
      ...(args.also ?? []).flatMap((path) => memory({ path }, MEMORY[call]!, life, seq)),
    ];
  switch (call) {
    case "open":
      return memory(args, args.mode === "append" ? "write" : "read", life, seq);
    case "spawn":
      return [{ kind: "agent", resource: agentOfSpawn(args), verb: "spawn" }];
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
      return isChild || pid === life.pid
        ? []
        : [{ kind: "signal", resource: args.pid!, verb: "send" }];
    case "infer":
      return [{ kind: "model", resource: args.model!, verb: "infer" }];
    default:
      return [];
  }
}

/** What a tool or a model itself says. It may not understand what it is given: then a call has failed. */
function saidBy<T>(say: () => T): T {
  try {
    return say();
  } catch {
    throw new NotJudged("what its tool or model does not understand");
  }
}

function sinksOf(tool: Tool, args: Json, place: CallPlace): readonly Sink[] {
  if (tool.sinks !== undefined) return tool.sinks(args, place);
  if (tool.effect === "external" || tool.egress === true) return ["egress"];
  return tool.effect === "idempotent" ? ["write"] : [];
}

const variants = (worsens: boolean | undefined): (readonly Sink[])[] => [
  ...(worsens === true ? [] : [["write"] as const]),
  ...(worsens === false ? [] : [["destructive"] as const]),
];

/** Whether it replaces a file of the machine is asked of the disk, which has changed since. */
function asOfThen(
  tool: Tool,
  args: Json,
  place: CallPlace,
  sinks: readonly Sink[],
): (readonly Sink[])[] {
  const isFile = tool.touches(args, place).some(({ kind }) => kind === "file");
  const isChange = sinks.includes("write") || sinks.includes("destructive");
  return isFile && isChange ? variants(undefined) : [sinks];
}

function targetOf(call: string, { pid, to, from }: Args, lives: Lives): Deed["target"] {
  const other = DIRECTED.has(call) ? lives.get(to ?? pid ?? from ?? "") : undefined;
  return other && { pid: other.pid, agent: other.agent };
}

/** A file of the workspace is read, written, listed and removed by the tool of that name. */
function atWork(
  call: string,
  { path, data }: Args & { data?: Json },
): { tool: string; args: Json } | undefined {
  if (!["read", "write", "list", "remove"].includes(call)) return undefined;
  if (typeof path !== "string" || !/^\/work(\/|$)/.test(path)) return undefined;
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return {
    tool: `file.${call}`,
    args: call === "write" ? { path, text, make: true } : { path },
  };
}

export function deedOf(past: Past, lives: Lives, devices: Devices): Omit<Deed, "morePower"> {
  const { call, args: json, life, begun } = past;
  const args = (json ?? {}) as Args;
  if (isKeptApart(json)) throw new NotJudged("large arguments");
  const row = syscalls[call as keyof typeof syscalls];
  if (row === undefined) throw new NotJudged("no such call");
  const inWork = atWork(call, args);
  if (/^\/mnt\/./.test(args.path ?? "")) throw new NotJudged("a connector");
  if (call === "exec" || inWork !== undefined) {
    const name = inWork?.tool ?? args.tool;
    const tool = devices.tools.find((one) => one.name === name);
    if (tool === undefined) throw new NotJudged("a tool that is not here");
    const given = inWork?.args ?? args.args ?? null;
    const place = placeOf(life);
    return {
      undoable: saidBy(() => tool.isUndoable?.(given, place) ?? false),
      touches: [
        ...(inWork === undefined ? [{ kind: "tool", resource: tool.name, verb: "call" }] : []),
        ...saidBy(() => tool.touches(given, place)),
      ],
      effect: tool.effect,
      sinks: () =>
        asOfThen(
          tool,
          given,
          place,
          saidBy(() => sinksOf(tool, given, place)),
        ),
      tool: tool.name,
      model: undefined,
      args: inWork === undefined ? given : json,
      worst: () => ({ usd: 0, tokens: 0, toolCalls: 1 }),
      target: undefined,
      authority: (tool.authority ?? []).filter((name) =>
        Object.hasOwn(Object(given) as object, name),
      ),
    };
  }
  const model = devices.models.find(({ provider }) => args.model?.startsWith(`${provider}/`));
  if (call === "infer" && model === undefined) throw new NotJudged("a model that is not here");
  const edge = edgeIn(call, args, life, lives);
  const changes = (call === "write" && edge === undefined) || call === "remove";
  return {
    edge,
    undoable: false,
    touches: touchesOf(call, args, life, lives, begun.seq),
    effect: row.effect,
    sinks: (label) =>
      changes
        ? variants(worsens(lives, past, label))
        : [call === "infer" && model!.egress ? ["egress"] : []],
    tool: undefined,
    model: call === "infer" ? args.model : undefined,
    args: json,
    authority: [],
    worst: () =>
      call === "infer" ? worstOf(saidBy(() => model!.worstCase(json as never))) : NOTHING_SPENT,
    target: targetOf(call, args, lives),
  };
}

const worstOf = ({ usd, tokens }: WorstCase): Spent => ({ usd: usd ?? 0, tokens, toolCalls: 0 });
