// eval.run: starts one run of an evaluation, waits for its end, and says what it came to. The run is a process like one of
// `aos run`: its agent's own name, power, label and workspace, and no child of the evaluation, so that no run can change
// what another may do or sees.
//
// EVAL-RUN-1  It serves the program `eval` at the top of its tree only, and starts only what the input of that process has:
//     the caller says a number, and for a judge what is asked. That input is the first record, which nothing changes.
// EVAL-RUN-2  The pid follows from the evaluation and the number: a call that is repeated after a crash finds the run that
//     it began, and nothing is paid twice.
// EVAL-RUN-3  A run belongs to the tenant of its evaluation, below the ceiling of that; under a ceiling its folder is that of
//     the evaluation.
// EVAL-RUN-4  When the evaluation is killed, so is the run; when the daemon stops, it goes on with the next one.

import { createHash } from "node:crypto";
import { type Kernel, readLabel, type SpawnRequest } from "@aos/kernel";
import { defineTool } from "@aos/drivers";
import {
  cellAt,
  cellsOf,
  type DeviceContext,
  type EvalInput,
  type EvalScorer,
  isEnded,
  type Json,
  newProcessId,
  scorerNameOf,
  SysError,
} from "@aos/protocol";
import { judgeManifest } from "@aos/userland";
import { z } from "zod";
import { measureRun } from "./measure-run.ts";

export const EVAL_PROGRAM = "eval";

const input = z.strictObject({
  cell: z.number().int().nonnegative(),
  usd: z.number().nonnegative().optional().describe("The most that the run may cost."),
  judge: z.string().max(40).optional().describe("The scorer whose judge it is."),
  question: z.string().optional(),
});
type Asked = z.output<typeof input>;

/** What a daemon has beside its kernel. */
export interface EvalHost {
  /** Puts the policies of these folders in force first. */
  readonly admit?:
    | (<T>(folders: readonly string[], spawn: () => Promise<T>) => Promise<T>)
    | undefined;
  /** Scripted models look there. */
  readonly see?: ((folder: string) => void) | undefined;
}

interface Parts extends EvalHost {
  readonly kernel: () => Kernel;
}

interface Begun {
  readonly input: EvalInput;
  readonly startedAtMs: number;
  readonly by: string;
}

const MOST_KNOWN = 16;

export function createEvalRunTool({ kernel, admit, see }: Parts) {
  const known = new Map<string, Promise<Begun>>();
  const begunBy = (pid: string): Promise<Begun> => {
    const before = known.get(pid);
    if (before !== undefined) return before;
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
    const found = readEvaluation(kernel(), pid);
    found.catch(() => known.delete(pid));
    known.set(pid, found);
    return found;
  };
  return defineTool({
    name: "eval.run",
    version: "1",
    description: "Start a run of an evaluation and wait for it. For the program `eval` only.",
    tags: ["evaluation"],
    input,
    effect: "idempotent",
    sinks: [],
    run: async (asked, context) => {
      const begun = await begunBy(context.pid);
      const request = requestOf(begun, asked, context);
      const { folder } = request;
      if (folder !== undefined) see?.(folder);
      const spawn = () => kernel().spawn(request);
      const pid = await (admit === undefined || folder === undefined
        ? spawn()
        : admit([folder], spawn));
      await ended(kernel(), pid, context);
      const run = await measureRun(kernel(), pid);
      context.label(readLabel(run.label));
      return run as unknown as Json;
    },
  });
}

/** EVAL-RUN-1. */
async function readEvaluation(kernel: Kernel, pid: string): Promise<Begun> {
  const { program, parent, startedAt } = await kernel.show(pid);
  if (program !== EVAL_PROGRAM || parent !== null)
    throw new SysError("EACCES", "eval.run is for an evaluation, and this process is none", {
      hint: "start one: aos eval FILE",
    });
  const { records } = await kernel.pastRun(pid);
  const first = records[0] as unknown as { readonly input: Json };
  const startedAtMs = Date.parse(startedAt);
  return { input: first.input as unknown as EvalInput, startedAtMs, by: `eval:${pid}` };
}

/** EVAL-RUN-2. */
export function runPid(of: { readonly pid: string; readonly startedAtMs: number }, what: string) {
  const digest = createHash("sha256").update(`${of.pid}/${what}`).digest();
  return newProcessId(of.startedAtMs, digest.subarray(0, 10));
}

function requestOf(begun: Begun, asked: Asked, context: DeviceContext): SpawnRequest {
  const { input: given, startedAtMs, by } = begun;
  const { cell, judge, question } = asked;
  if (cell >= cellsOf(given)) throw new SysError("EINVAL", `there is no run ${cell}`);
  const what = judge === undefined ? String(cell) : `${cell}/${judge}`;
  const { pid, tenant } = context;
  const common = {
    pid: runPid({ pid, startedAtMs }, what),
    tenant,
    by,
    lane: "background" as const,
    ttl: { wallMs: given.timeoutMs },
  };
  if (judge !== undefined)
    return {
      ...common,
      manifest: judgeManifest(judgeNamed(given, judge)),
      input: question ?? "",
      label: context.hasRead,
    };
  const { given: asks, variant } = cellAt(given, cell);
  const folder = folderOf(variant.folder, context);
  const { workspace } = given;
  if (workspace !== undefined) mustBeFree(context, workspace);
  return {
    ...common,
    manifest: variant.manifest,
    input: asks.input,
    ...(asks.label === undefined ? {} : { label: readLabel(asks.label) }),
    ...(folder === undefined ? {} : { folder }),
    ...(variant.registeredAs === undefined ? {} : { registeredAs: variant.registeredAs }),
    ...(workspace === undefined ? {} : { workspace: { folder: workspace, isCow: true } }),
    ...(asked.usd === undefined ? {} : { budget: { usd: asked.usd } }),
  };
}

function judgeNamed({ scorers }: EvalInput, name: string) {
  const found = scorers.find((one: EvalScorer) => scorerNameOf(one) === name);
  if (found?.type !== "judge") throw new SysError("EINVAL", `there is no judge ${name}`);
  return found;
}

/** EVAL-RUN-3. */
function folderOf(wanted: string | undefined, context: DeviceContext): string | undefined {
  if (wanted !== undefined && wanted !== context.folder) mustBeFree(context, wanted);
  return wanted ?? context.folder;
}

function mustBeFree({ hasCeiling, tenant }: DeviceContext, path: string): void {
  if (hasCeiling === true)
    throw new SysError("EACCES", `${path} is a path on the machine, and ${tenant} has a ceiling`);
}

const TELL_WITHIN_MS = 30_000;

/** EVAL-RUN-4. */
async function ended(kernel: Kernel, pid: string, { signal, pid: evaluation }: DeviceContext) {
  try {
    const { state } = await kernel.wait(pid, { signal });
    if (isEnded(state)) return;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (!signal.aborted) throw new SysError("EINTR", "the daemon stops");
  void stopWith(kernel, pid, evaluation);
  throw signal.reason;
}

async function stopWith(kernel: Kernel, pid: string, evaluation: string): Promise<void> {
  try {
    const { state } = await kernel.wait(evaluation, { timeoutMs: TELL_WITHIN_MS });
    if (isEnded(state)) await kernel.signal(pid, "SIGKILL");
  } catch {
    // The kernel closes: the next one goes on with both. Or the run has ended.
  }
}
