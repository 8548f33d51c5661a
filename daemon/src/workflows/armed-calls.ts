// Armed calls: what would take back what a run did, read from its journal and from what its tools declare.
//
// ARMED-CALLS-1  Of a workflow it is what its steps armed; of another run every external call that succeeded, or of
//     which nobody knows, with that of the runs that it started; the last is taken back first.
// ARMED-CALLS-2  A call that its tool's own undo took back is not there again: take-back runs are found by their name.

import { createHash } from "node:crypto";
import type { Kernel } from "@aos/kernel";
import {
  type ArmedCall,
  fill,
  isEnded,
  type Json,
  type JsonObject,
  type JournalRecord,
  newProcessId,
  type ProcessDetail,
  type ProcessId,
  SysError,
  type ToolUndo,
} from "@aos/protocol";
import { armedIn, isWorkflow, observeWorkflow, outcomeOf } from "./workflow-report.ts";

type Host = Pick<Kernel, "show" | "list" | "pastRun" | "tools" | "spawn">;

const PROGRAM = "take-back";
/** Of one tree. */
const MOST_RUNS = 1000;

export interface TakeBackReport {
  readonly pid: ProcessId;
  readonly armed: readonly ArmedCall[];
}

/** Starts the run that takes back, once: who asks again while it goes on is told of the same one. */
export async function takeBack(host: Host, pid: string, by: string): Promise<TakeBackReport> {
  const detail = await host.show(pid);
  const { state, parent } = detail;
  if (parent !== null)
    throw new SysError("ESTATE", `${pid} was started by ${parent}, which is taken back whole`, {
      hint: `aos undo ${parent}`,
      detail: { nothingLeft: false, parent },
    });
  if (!isEnded(state))
    throw new SysError("ESTATE", `${pid} has not ended: it is ${state}`, {
      hint: isWorkflow(detail)
        ? `a workflow takes back what it did when it is cancelled: aos kill ${pid}`
        : `end it first: aos kill ${pid}`,
    });
  const name = `undo-${detail.pid}`;
  const earlier = await earlierOf(host, name);
  const [last] = earlier;
  if (last !== undefined && !isEnded(last.state))
    return { pid: last.pid, armed: (await inputOf(host, last.pid)).toReversed() };
  const armed =
    last === undefined ? await armedOf(host, detail) : leftBy(last, await inputOf(host, last.pid));
  if (armed.length === 0) throw nothingLeft(detail, last);
  const { manifest, capabilities } = await host.pastRun(detail.pid);
  const started = await host.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "take-back",
      program: PROGRAM,
      capabilities: [...manifest.capabilities],
    },
    ...(capabilities === undefined ? {} : { capabilities }),
    input: { of: detail.pid, armed } as unknown as Json,
    pid: pidOf(detail, earlier.length),
    name,
    tenant: detail.tenant,
    label: detail.labels,
    workspaceOf: detail.pid,
    by,
  });
  return { pid: started, armed: armed.toReversed() };
}

/** The newest first. ARMED-CALLS-2 */
async function earlierOf(host: Host, name: string): Promise<ProcessDetail[]> {
  const named = await host.list({ name });
  const details = await Promise.all(named.map(({ pid }) => host.show(pid)));
  return details.filter(({ program }) => program === PROGRAM);
}

async function inputOf(host: Host, pid: string): Promise<ArmedCall[]> {
  const [start] = (await host.pastRun(pid)).records;
  const input = start?.kind === "start" ? start.input : null;
  return ((input as unknown as { armed?: ArmedCall[] } | null)?.armed ?? []) as ArmedCall[];
}

/** Of one that was killed before it could say it, all: the far side knows a call by its key. */
const leftBy = (last: ProcessDetail, all: readonly ArmedCall[]): readonly ArmedCall[] =>
  outcomeOf(last)?.armed ?? all;

const nothingLeft = ({ pid }: ProcessDetail, last: ProcessDetail | undefined): SysError =>
  last === undefined
    ? new SysError("ESTATE", `${pid} has done nothing that a declared undo takes back`, {
        detail: { nothingLeft: true },
      })
    : new SysError("ESTATE", `${pid} is taken back already, by ${last.pid}`, {
        detail: { nothingLeft: true, by: last.pid },
      });

/** The same for the same attempt, whoever asks and however often: the store has one row of it. */
function pidOf({ pid, endedAt }: ProcessDetail, attempt: number): ProcessId {
  const digest = createHash("sha256").update(`${pid}/undo/${attempt}`).digest();
  return newProcessId(Date.parse(endedAt!) + attempt, digest.subarray(0, 10));
}

/** ARMED-CALLS-1. */
async function armedOf(host: Host, detail: ProcessDetail): Promise<readonly ArmedCall[]> {
  if (isWorkflow(detail)) {
    const run = outcomeOf(detail) === null ? (await observeWorkflow(host, detail)).run : undefined;
    return armedIn(detail, run);
  }
  const { tenant } = detail;
  const found: { readonly at: number; readonly call: ArmedCall }[] = [];
  const open: ProcessId[] = [detail.pid];
  for (let seen = 0; open.length > 0 && seen < MOST_RUNS; seen++) {
    const pid = open.shift()!;
    const { records, folder } = await host.pastRun(pid);
    const tools = await host.tools({ tenant, folders: folder === undefined ? [] : [folder] });
    const undoOf = new Map(tools.map(({ tool }) => [tool.name, tool.undo]));
    found.push(...armedBy(pid, records, (tool) => undoOf.get(tool)));
    for (const child of await host.list({ parent: pid, limit: MOST_RUNS })) open.push(child.pid);
  }
  return found.toSorted((one, other) => one.at - other.at).map(({ call }) => call);
}

const UNKNOWN: ReadonlySet<string> = new Set(["EINDOUBT", "ETIMEDOUT", "EINTR"]);

interface ExecArgs {
  readonly tool: string;
  readonly args: Json;
  readonly key?: string;
}

/** The calls of one run that did something outside. */
function* armedBy(
  pid: string,
  records: readonly JournalRecord[],
  undoOf: (tool: string) => ToolUndo | undefined,
): Generator<{ readonly at: number; readonly call: ArmedCall }> {
  const intents = new Map<number, ExecArgs>();
  for (const record of records) {
    if (record.kind === "intent" && record.call === "exec")
      intents.set(record.n, record.args as unknown as ExecArgs);
    if (record.kind !== "call" && record.kind !== "outcome") continue;
    const exec =
      record.kind === "call"
        ? record.call === "exec"
          ? (record.args as unknown as ExecArgs)
          : undefined
        : intents.get(record.n);
    intents.delete(record.n);
    if (exec === undefined || (record.err !== undefined && !UNKNOWN.has(record.err.code))) continue;
    yield* armedCall(pid, record, exec, undoOf(exec.tool));
  }
  for (const [n, exec] of intents)
    yield* armedCall(pid, { n, at: Infinity }, exec, undoOf(exec.tool));
}

function* armedCall(
  pid: string,
  { n, at, ok = null }: { readonly n: number; readonly at: number; readonly ok?: Json },
  { tool, args, key }: ExecArgs,
  undo: ToolUndo | undefined,
): Generator<{ readonly at: number; readonly call: ArmedCall }> {
  if (undo === undefined || undo === "workspace") return;
  const scope: JsonObject = { args, result: ok };
  const call =
    typeof undo === "string"
      ? { tool: undo, args }
      : { tool: undo.tool, args: fill(undo.args ?? {}, scope) };
  yield { at, call: { step: `${tool}#${n}`, ...call, key: `${key ?? `${pid}/${n}`}/undo` } };
}
