// ProcessOperations: what an operator can ask of one process, whether it runs or has ended. An operation is one
// row here: the kernel's method, its type and what a caller of one tenant may ask of it all follow.
//
// PROCESS-OPERATIONS-1  Outside, the first argument of each is a pid. It is found once, when all that was done
//     until then is on the disk, and an operation is given the row of the process.

import { SysError, type CheckReport, type Json, type Lane, type OnProgress } from "@aos/protocol";
import type { FileReportRequest, MemoryPage } from "../api.ts";
import { causesOf, momentOf } from "../inspection/causes.ts";
import { contextAt, reportContext } from "../inspection/context.ts";
import { estimateFork, estimateReplay } from "../inspection/estimate.ts";
import { reportFiles } from "../inspection/files.ts";
import { inferencesOf } from "../inspection/inferences.ts";
import { processForQuestions } from "../inspection/inspected-process.ts";
import { memoryOf } from "../inspection/memory.ts";
import { pastRunOf } from "../inspection/past-run.ts";
import { whyOf } from "../inspection/power.ts";
import { parseRecord } from "../journal/record-text.ts";
import { rerun } from "../replay/rerun.ts";
import type { ProcessRow } from "../store/rows.ts";
import { adopt } from "./adopt.ts";
import { forkAt, retryFrom } from "./fork.ts";
import type { KernelParts } from "./kernel-parts.ts";
import { nice } from "./nice.ts";

/** How many records a core dump ends with. */
const CORE_RECORDS = 100;

const operations = {
  /** A run as it can be told to others. */
  pastRun: async ({ store }: KernelParts, row: ProcessRow) => pastRunOf(store, row),
  /** The manifest that it was started with, as it was then. */
  async manifest(
    { store }: KernelParts,
    { pid, tenant, spec: { manifestHash: hash } }: ProcessRow,
  ) {
    const text = await store.manifest(tenant, hash);
    if (text === undefined) throw new SysError("ENOENT", `the manifest of ${pid} is not stored`);
    return { pid, hash, manifest: JSON.parse(text) as Json };
  },
  /** What it asked models and what it was told, in the order of its calls. */
  inferences: async (
    { store }: KernelParts,
    row: ProcessRow,
    options: { requests?: boolean } = {},
  ) => inferencesOf(store, row, options),
  /** What it shows its model at a record (default: the last), message by message. */
  context: async (parts: KernelParts, row: ProcessRow, { at }: { at?: number } = {}) =>
    reportContext(parts, row, at),
  /** The same, as the messages themselves. */
  exportContext: async (parts: KernelParts, row: ProcessRow, { at }: { at?: number } = {}) => [
    ...((await contextAt(parts, row, at))?.messages ?? []),
  ],
  /** The file that it has at a path of /mem, and those below; whether it runs, or has ended. */
  memory: async ({ journal }: KernelParts, row: ProcessRow, path: string, page: MemoryPage = {}) =>
    memoryOf(journal, row, path, page),
  /** What it sees at a path of its file tree. */
  files: async (parts: KernelParts, row: ProcessRow, request: FileReportRequest) =>
    reportFiles(parts, row, request),
  /** What it may cost; nothing is begun. */
  estimateFork: async (parts: KernelParts, row: ProcessRow, { at }: { at?: number } = {}) =>
    estimateFork(parts, row, at),
  estimateReplay: async (_parts: KernelParts, row: ProcessRow) => estimateReplay(row),
  /** What led to a record; without one, to its end, or to where it is now. */
  causes: async (parts: KernelParts, row: ProcessRow, seq?: number) => causesOf(parts, row, seq),
  /** The process at one of its records (default: the last). */
  moment: async (parts: KernelParts, row: ProcessRow, seq?: number) => momentOf(parts, row, seq),
  /** Why a recorded call was allowed or refused. */
  why: async (parts: KernelParts, row: ProcessRow, seq?: number) => whyOf(parts, row, seq),
  /** Whether the gate would allow a call; nothing is done. */
  async check(parts: KernelParts, row: ProcessRow, call: string, args: Json) {
    const process = await processForQuestions(parts, row);
    return (await parts.wouldBe(process, call, args)) as unknown as CheckReport;
  },
  /** What an abnormal end left, and the last records before it. */
  async coreDump({ store }: KernelParts, { key }: ProcessRow): Promise<Json | undefined> {
    const core = await store.core(key);
    if (core === undefined) return undefined;
    const rows = (await store.records(key, { after: -1, upTo: Infinity })).slice(-CORE_RECORDS);
    const records = rows.map((row) => parseRecord(row.text)) as unknown as Json;
    return { ...(JSON.parse(core) as { [key: string]: Json }), records };
  },
  /** Runs it again from its journal, and compares. */
  replay: async (
    parts: KernelParts,
    row: ProcessRow,
    { onProgress }: { onProgress?: OnProgress | undefined } = {},
  ) => rerun(parts, row, onProgress),
  /** A new process that shares the history up to and with record `at` (default: all of it before the end). */
  fork: async (parts: KernelParts, row: ProcessRow, { at }: { at?: number } = {}) =>
    adopt(parts, row, () => forkAt(parts, row, at)),
  /** A new process that shares the history before call `from` (default: the last that failed) and makes it again, or takes `result` for it. */
  retry: async (
    parts: KernelParts,
    row: ProcessRow,
    options: { from?: number; result?: Json } = {},
  ) => adopt(parts, row, () => retryFrom(parts, row, options)),
  /** Sets its lane, and that of all that it has started. */
  nice: async (parts: KernelParts, row: ProcessRow, lane: Lane, by: string) =>
    nice(parts, row, lane, by),
};

type Operations = typeof operations;
type Rest<Operation> = Operation extends (
  parts: KernelParts,
  row: ProcessRow,
  ...rest: infer Given
) => unknown
  ? Given
  : never;

export type ProcessOperations = {
  readonly [Name in keyof Operations]: (
    pid: string,
    ...rest: Rest<Operations[Name]>
  ) => ReturnType<Operations[Name]>;
};

export const operationReach = Object.fromEntries(
  Object.keys(operations).map((name) => [name, "process"]),
) as Readonly<Record<keyof ProcessOperations, "process">>;

/** PROCESS-OPERATIONS-1. */
export function bindProcessOperations(
  parts: KernelParts,
  find: (pid: string) => Promise<ProcessRow>,
): ProcessOperations {
  const bound = Object.entries(operations).map(([name, operation]) => [
    name,
    async (pid: string, ...rest: never[]) =>
      (operation as (parts: KernelParts, row: ProcessRow, ...rest: never[]) => Promise<unknown>)(
        parts,
        await find(pid),
        ...rest,
      ),
  ]);
  return Object.fromEntries(bound) as ProcessOperations;
}
