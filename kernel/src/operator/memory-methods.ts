// The kernel's methods about memory: the spaces and records of long-term memory, the versions of files, and
// what was said in runs.

import {
  DEFAULT_TENANT,
  SysError,
  type FileHistory,
  type FileScope,
  type ForgetReport,
  type MemoryRecordReader,
  type RunSearchReader,
  type TidyReport,
  type UntidyReport,
} from "@aos/protocol";
import { forget, type ForgetRequest } from "../erasure/forget.ts";
import { tidy, untidy, type TidyRequest, type UntidyRequest } from "./tidy.ts";
import { versionAt, versionedFile, versionsOf } from "../inspection/file-versions.ts";
import { memoryRecordOf, memoryRowsOf, memoryStatsOf } from "../inspection/memory-records.ts";
import { memorySpacesOf } from "../inspection/memory-spaces.ts";
import { searchRuns } from "../inspection/run-search.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";

export interface MemoryMethods extends FileHistory, MemoryRecordReader, RunSearchReader {
  /** The spaces of long-term memory that have something in them. */
  memorySpaces(of?: { readonly tenant?: string }): Promise<string[]>;
  /** Removes what is about something from memory, and from the history of finished runs (erasure/forget.ts). */
  forgetMemory(
    request: Omit<ForgetRequest, "tenant"> & { readonly tenant?: string },
  ): Promise<ForgetReport>;
  /** Consolidates the memory of agents (tidy.ts). */
  tidyMemory(request: TidyRequest): Promise<TidyReport>;
  untidyMemory(request: UntidyRequest): Promise<UntidyReport>;
}

export const memoryReach = {
  memorySpaces: { scope: 0 },
  fileVersions: { scope: 0, processes: ["pid"] },
  fileVersion: { scope: 0, processes: ["pid"] },
  memoryRows: { scope: 0 },
  memoryRecord: { scope: 0 },
  memoryStats: { scope: 0 },
  forgetMemory: { scope: 0, processes: ["pid"] },
  tidyMemory: { scope: 0 },
  untidyMemory: { scope: 0 },
  searchRuns: { scope: 0, processes: ["pid"] },
} as const satisfies Record<keyof MemoryMethods, MethodReach>;

export function memoryMethods(parts: KernelParts, open: OpenKernel): MemoryMethods {
  const ownerOf = async ({ pid, tenant }: FileScope) =>
    pid === undefined ? { tenant } : { owner: await open.find(pid) };
  return {
    memorySpaces: async ({ tenant } = {}) => memorySpacesOf(parts, tenant),
    fileVersions: async (of, path, page = {}) =>
      versionsOf(parts, await versionedFile(parts, path, await ownerOf(of)), page),
    fileVersion: async (of, path, version) =>
      versionAt(parts, await versionedFile(parts, path, await ownerOf(of)), version),
    memoryRows: async (query = {}) => memoryRowsOf(parts, query),
    memoryRecord: async (of) => memoryRecordOf(parts, of),
    memoryStats: async (of = {}) => memoryStatsOf(parts, of),
    async searchRuns({ pid, ...query }) {
      const run = pid === undefined ? {} : { pid: (await open.find(pid)).pid };
      return searchRuns(parts, { ...query, ...run });
    },
    async tidyMemory(request) {
      open.mustBeOpen();
      return parts.retention.whileItWaits(() => tidy(parts, request));
    },
    async untidyMemory(request) {
      open.mustBeOpen();
      return parts.retention.whileItWaits(() => untidy(parts, request));
    },
    async forgetMemory({ tenant: name = DEFAULT_TENANT, ...request }) {
      open.mustBeOpen();
      const tenant = await parts.store.findTenant(name);
      if (tenant === undefined)
        throw new SysError("ENOENT", `unknown tenant ${name}`, {
          hint: "`aos tenant ls` lists the tenants",
        });
      return parts.retention.whileItWaits(() => forget(parts, { ...request, tenant }));
    },
  };
}
