// Action: what a call would do, described before it runs. The gate judges actions, not calls.

import {
  agentOfSpawn,
  canonicalText,
  costOf,
  countOf,
  judgedPath,
  mountOf,
  PIPE_OUT,
  pipeEdgeName,
  plainPath,
  SysError,
  syscalls,
  type CallPlace,
  type Effect,
  type Json,
  type ModelDriver,
  type Sink,
  type SyscallArgs,
  type SyscallName,
  type Tool,
  type Touch,
} from "@aos/protocol";
import { NOTHING, ONE_TOOL_CALL, type Amount } from "../budget/accounts.ts";
import { digestOf } from "../journal/codec.ts";
import type { PendingCall, Process } from "../process/process.ts";
import type { DeviceLookup } from "./lookups.ts";
import { isAtMost, readLabel } from "../label/label.ts";
import type { HoldingRow, ProcessRow } from "../store/rows.ts";
import { refuseNarrowed } from "./allowed-tools.ts";
import { isCheckedRequest, isPlainExec } from "./checked-arguments.ts";
import { NO_FACTS, type CallFacts } from "./facts.ts";
import type { IdentifiedRun } from "./run-identity.ts";
import { workCall, workTool, type WorkCall } from "./work-files.ts";

export interface Action {
  readonly call: SyscallName;
  readonly args: Json;
  readonly touches: readonly Touch[];
  readonly effect: Effect;
  readonly sinks: readonly Sink[];
  /** A spawn whose child could do what this process cannot. */
  readonly morePower: boolean;
  /** What it does can be taken back afterwards. */
  readonly isUndoable: boolean;
  /** Someone outside this machine can see that it happens. */
  readonly isVisible: boolean;
  readonly worst: Amount;
  /** The longest answer that a model may give, where the budget sets it (output-limit.ts). */
  readonly maxTokens?: number;
  /** Where it is refused for its cost: the longest that could be paid for. */
  readonly fitting?: number;
  readonly tool: Tool | undefined;
  readonly model: ModelDriver | undefined;
  /** The process that a message, a signal, a grant or a wait is for; of a spawn, whose value it passes on. */
  readonly target: ProcessRow | undefined;
  /** Of what passes a value from one stage of a pipe to the next: `PIPE/FROM/TO`. */
  readonly edge?: string | undefined;
  /** What every process of the agent to spawn holds. */
  readonly standing: readonly HoldingRow[];
  /** What it would run: known once a person has to be asked about it. */
  readonly runs?: IdentifiedRun;
}

/** What an approval is bound to: the call, and what it would run (run-identity.ts). */
export const digestOfAction = (
  { call, args, runs }: Pick<Action, "call" | "args" | "runs">,
  pid: string,
): string =>
  digestOf(
    canonicalText({ pid, call, args, ...(runs === undefined ? {} : { runs: runs.digest }) }),
  );

type Describe<Name extends SyscallName> = (
  args: SyscallArgs<Name>,
  process: Process,
  devices: DeviceLookup,
  facts: CallFacts,
) => Partial<Action>;

type FileArgs = Pick<SyscallArgs<"write">, "path" | "fd">;

const NO_TOUCH: readonly Touch[] = [];
const NO_SINKS: readonly Sink[] = [];
const NO_HOLDINGS: readonly HoldingRow[] = [];
const EGRESS: readonly Sink[] = ["egress"];
const WRITE: readonly Sink[] = ["write"];
const DESTRUCTIVE: readonly Sink[] = ["destructive"];

/** What is its own a process reads by no grant (protocol/mount-table.ts); what cannot be written there, the handler says. */
const memory =
  (verb: string) =>
  ({ path, fd }: FileArgs, process: Process): Partial<Action> => {
    const place = path ?? (fd === undefined ? undefined : process.streams.get(fd)?.path);
    if (place === undefined) return {}; // no such stream: nothing is touched
    const resource = judgedPath(plainPath(place), process.row.spec.memorySpace);
    const mount = mountOf(resource);
    const isSearched = verb === "search" && mount?.driver === "context"; // nothing else of its own is
    const isRead = verb === "read" || verb === "list" || isSearched || mount?.driver === "self";
    if (mount?.guard === "own" && isRead) return {};
    return { touches: [{ kind: "memory", resource, verb }] };
  };

const searchOf = memory("search");

/** Destructive is what would put something less trusted, or nothing, in the place of what others rely on. */
const changing =
  (verb: "write" | "remove") =>
  (
    args: FileArgs,
    process: Process,
    _devices: DeviceLookup,
    { replaced }: CallFacts,
  ): Partial<Action> => {
    const edge = args.path === PIPE_OUT ? process.row.spec.pipe?.out?.edge : undefined;
    if (edge !== undefined && verb === "write") return { edge };
    const worsens = replaced !== undefined && !isAtMost(process.label, readLabel(replaced.label));
    return { ...memory(verb)(args, process), sinks: worsens ? DESTRUCTIVE : WRITE };
  };

/** What a call of a tool is, whoever makes it. */
export const describeTool = (
  tool: Tool,
  args: Json,
  place: CallPlace,
): Pick<Action, "touches" | "effect" | "sinks" | "isUndoable"> => ({
  effect: tool.effect,
  isUndoable: tool.isUndoable?.(args, place) === true,
  sinks: sinksOf(tool, args, place),
  touches: [{ kind: "tool", resource: tool.name, verb: "call" }, ...tool.touches(args, place)],
});

function sinksOf(tool: Tool, args: Json, place: CallPlace): readonly Sink[] {
  if (tool.sinks !== undefined) return tool.sinks(args, place);
  if (tool.effect === "external" || tool.egress === true) return EGRESS;
  return tool.effect === "idempotent" ? WRITE : NO_SINKS;
}

const isChild = (process: Process, target: ProcessRow | undefined): boolean =>
  target?.parent === process.key;

/** A fork may wait for those that its history started. */
const isChildOfItsHistory = (process: Process, target: ProcessRow | undefined): boolean =>
  isChild(process, target) ||
  process.row.spec.forkedFrom?.origins.some((key) => key === target?.parent) === true;

/** Parent and child may always talk; only the parent may wait for the other, and signal it. */
const isKin = (process: Process, target: ProcessRow | undefined): boolean =>
  isChild(process, target) || target?.key === process.row.parent;

const unless = (isFree: boolean, kind: string, resource: string, verb: string): Partial<Action> =>
  isFree ? {} : { touches: [{ kind, resource, verb }] };

const descriptions: { readonly [Name in SyscallName]?: Describe<Name> } = {
  infer: (args, _process, devices) => {
    const model = devices.model(args.model);
    const worst = worstOf(model, args);
    return {
      model,
      touches: [{ kind: "model", resource: args.model, verb: "infer" }],
      isVisible: model.egress,
      sinks: model.egress ? EGRESS : NO_SINKS,
      worst,
    };
  },
  exec: (args, process, devices) => {
    const tool = devices.tool(args.tool, process.scope);
    const refusal = tool.refuses?.(args.args);
    if (refusal !== undefined) throw new SysError("EINVAL", `${tool.name}: ${refusal}`);
    const described = describeTool(tool, args.args, process.place);
    devices.refuseMounted(described.touches, process);
    return {
      tool,
      ...described,
      isVisible: tool.effect !== "read" || tool.egress === true,
      worst: ONE_TOOL_CALL,
    };
  },
  read: memory("read"),
  write: changing("write"),
  list: memory("list"),
  remove: changing("remove"),
  search: ({ path, also = [] }, process) => ({
    touches: [path, ...also].flatMap((one) => searchOf({ path: one }, process).touches ?? []),
  }),
  open: ({ path, mode }, process) =>
    memory(mode === "append" ? "write" : "read")({ path }, process),
  spawn: (args, process, _devices, { standing = NO_HOLDINGS, target }) => ({
    edge: target && pipeEdgeName(process.row.agent, target.agent, agentOfSpawn(args)),
    touches: [{ kind: "agent", resource: agentOfSpawn(args), verb: "spawn" }],
    morePower: standing.length > 0 || mayGrantWhatItMayNotUse(process),
    standing,
  }),
  wait: ({ pid }, process, _devices, { target }) =>
    unless(isChildOfItsHistory(process, target), "agent", pid, "wait"),
  send: ({ to }, process, _devices, { target }) =>
    unless(to === "operator" || isKin(process, target), "message", to, "send"),
  request: ({ to }, process, _devices, { target }) =>
    unless(isKin(process, target), "message", to, "send"),
  grant: ({ to }, process, _devices, { target }) => ({
    ...unless(isKin(process, target), "message", to, "send"),
    morePower: mayGrantWhatItMayNotUse(process),
  }),
  publish: ({ topic }) => ({ touches: [{ kind: "message", resource: topic, verb: "publish" }] }),
  subscribe: ({ topic }) => ({
    touches: [{ kind: "message", resource: topic, verb: "subscribe" }],
  }),
  signal: ({ pid }, process, _devices, { target }) =>
    unless(isChild(process, target) || target?.key === process.key, "signal", pid, "send"),
  ask: () => ({ isVisible: true }),
};

/** The tool itself is not granted by name: the right to the file is enough. */
function describeWork(work: WorkCall, process: Process, devices: DeviceLookup): Partial<Action> {
  const tool = workTool(work, devices, process);
  const args = work.args(work.given);
  const refusal = tool.refuses?.(args);
  if (refusal !== undefined) throw new SysError("EINVAL", refusal);
  const { touches, ...described } = describeTool(tool, args, process.place);
  return {
    tool,
    ...described,
    touches: touches.slice(1),
    isVisible: tool.effect !== "read",
    worst: ONE_TOOL_CALL,
  };
}

/** What one request can cost at most, as its driver says; a driver that says no number is not asked. */
export function worstOf(model: ModelDriver, args: SyscallArgs<"infer">): Amount {
  const { usd, tokens } = model.worstCase(args);
  const microUsd = usd === null ? 0 : costOf(usd);
  const count = countOf(tokens);
  if (microUsd === undefined || count === undefined)
    throw new SysError("EUPSTREAM", `${args.model} does not say what a request can cost at most`);
  const worst = { microUsd, tokens: count, toolCalls: 0 };
  return usd === null ? { ...worst, unpriced: true } : worst;
}

const mayGrantWhatItMayNotUse = ({ holdings }: Process): boolean =>
  [...holdings].some(({ block }) =>
    block.caps.some(({ constraints }) => constraints.hold === "grant"),
  );

/** The arguments as the call's row reads them; EINVAL for others. */
function checkedArgs(
  { name, args }: Pick<PendingCall, "name" | "args">,
  row: (typeof syscalls)[SyscallName],
): unknown {
  if (name === "exec" && isPlainExec(args)) return args;
  if (name === "infer" && isCheckedRequest(args)) return args;
  const refused = (args as { $refused?: string } | null)?.$refused;
  if (refused !== undefined) throw new SysError("EINVAL", refused);
  const parsed = row.args.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new SysError(
    "EINVAL",
    `${name}: ${issue.path.map(String).join(".") || "arguments"}: ${issue.message}`,
  );
}

export function describe(
  call: Pick<PendingCall, "name" | "args">,
  process: Process,
  devices: DeviceLookup,
  facts: CallFacts = NO_FACTS,
): Action {
  const row = Object.hasOwn(syscalls, call.name) ? syscalls[call.name] : undefined;
  if (row === undefined)
    throw new SysError("EINVAL", `there is no system call ${call.name.replace(/^\?/, "")}`);
  const args = checkedArgs(call, row);
  const isSemantic = (name: string) => devices.isSemantic(name, process);
  refuseNarrowed(process, call.name, args, isSemantic);
  const work = workCall(call.name, args, isSemantic);
  const describeMore = descriptions[call.name] as Describe<SyscallName> | undefined;
  const more =
    work !== undefined
      ? describeWork(work, process, devices)
      : describeMore === undefined
        ? {}
        : describeMore(args as never, process, devices, facts);
  return {
    call: call.name,
    args: call.args,
    touches: more.touches ?? NO_TOUCH,
    effect: more.effect ?? row.effect,
    sinks: more.sinks ?? NO_SINKS,
    morePower: more.morePower ?? false,
    isUndoable: more.isUndoable === true,
    isVisible: more.isVisible ?? false,
    edge: more.edge,
    worst: more.worst ?? NOTHING,
    tool: more.tool,
    model: more.model,
    target: facts.target,
    standing: more.standing ?? NO_HOLDINGS,
  };
}
