// ProcessQueries: what can be read of one process, whether it runs or has ended. A query is one row here: the
// kernel's method, its type and what a caller of one tenant may ask of it all follow.
//
// PROCESS-QUERIES-1  Outside, the first argument of each is a pid. It is found once, and a query is given the
//     row of the process.

import { SysError, type Json } from "@aos/protocol";
import type { MemoryPage } from "../api.ts";
import type { ProcessRow } from "../store/rows.ts";
import { contextAt, reportContext } from "../inspection/context.ts";
import { estimateFork, estimateReplay } from "../inspection/estimate.ts";
import { inferencesOf } from "../inspection/inferences.ts";
import type { KernelParts } from "./kernel-parts.ts";
import { memoryOf } from "../inspection/memory.ts";
import { pastRunOf } from "../inspection/past-run.ts";

const queries = {
  /** A run as it can be told to others. */
  async pastRun({ store, journal }: KernelParts, row: ProcessRow) {
    await journal.durable();
    return pastRunOf(store, row);
  },
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
  async inferences(
    { store, journal }: KernelParts,
    row: ProcessRow,
    options: { requests?: boolean } = {},
  ) {
    await journal.durable();
    return inferencesOf(store, row, options);
  },
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
  /** What it may cost; nothing is begun. */
  estimateFork: async (parts: KernelParts, row: ProcessRow, { at }: { at?: number } = {}) =>
    estimateFork(parts, row, at),
  estimateReplay: async (_parts: KernelParts, row: ProcessRow) => estimateReplay(row),
};

type Queries = typeof queries;
type Rest<Query> = Query extends (
  parts: KernelParts,
  row: ProcessRow,
  ...rest: infer Given
) => unknown
  ? Given
  : never;

export type ProcessQueries = {
  readonly [Name in keyof Queries]: (
    pid: string,
    ...rest: Rest<Queries[Name]>
  ) => ReturnType<Queries[Name]>;
};

export const processQueryNames = Object.keys(queries) as (keyof ProcessQueries)[];

/** PROCESS-QUERIES-1. */
export function processQueries(
  parts: KernelParts,
  find: (pid: string) => Promise<ProcessRow>,
): ProcessQueries {
  const bound = Object.entries(queries).map(([name, query]) => [
    name,
    async (pid: string, ...rest: never[]) =>
      (query as (parts: KernelParts, row: ProcessRow, ...rest: never[]) => Promise<unknown>)(
        parts,
        await find(pid),
        ...rest,
      ),
  ]);
  return Object.fromEntries(bound) as ProcessQueries;
}
