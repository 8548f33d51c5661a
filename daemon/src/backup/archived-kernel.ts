// The kernel of a daemon with an archive: what is asked of a run that left the database is answered from its bundle.
//
// ARCHIVED-KERNEL-1  The database is asked first, and a run that it has with its history is never looked for elsewhere.
// ARCHIVED-KERNEL-2  Nothing can be done to an archived run: only what reads is answered.

import { readingOperations, type Kernel } from "@aos/kernel";
import { SysError, type ProcessDetail } from "@aos/protocol";
import type { ArchivedRuns } from "./archived-runs.ts";

type Method = (pid: string, ...rest: readonly unknown[]) => Promise<unknown>;

export function archivedKernel(kernel: Kernel, archive: ArchivedRuns): Kernel {
  /** It is not there, or its history is not. */
  const isElsewhere = (error: unknown): error is SysError =>
    error instanceof SysError && (error.code === "ENOENT" || error.code === "ESTATE");
  const show = async (pid: string): Promise<ProcessDetail> => {
    const stored = await kernel.show(pid).catch((error: unknown) => {
      if (!isElsewhere(error)) throw error;
      return error;
    });
    if (!(stored instanceof SysError) && !stored.compacted) return stored; // ARCHIVED-KERNEL-1
    const found = await archive.read(pid, async (reader, { bundle }) => ({
      ...(stored instanceof SysError ? await reader.show(pid) : stored),
      archive: bundle,
    }));
    if (found !== undefined) return found.answer;
    if (!(stored instanceof SysError)) return stored;
    if (stored.code !== "ENOENT" || (await archive.isThere())) throw stored;
    throw new SysError("ENOENT", stored.message, {
      hint: "the folder of the archive is not there, and the run may be in it: mount its disk",
    });
  };
  const own: Partial<Kernel> = {
    show,
    async list(filter = {}) {
      const listed = await kernel.list(filter);
      if (filter.prefix === undefined || listed.length > 0) return listed;
      const found = await archive.find(filter.prefix, filter.tenant);
      return Promise.all(found.slice(0, filter.limit ?? found.length).map(({ pid }) => show(pid)));
    },
    async journal(pid, options = {}) {
      const detail = await show(pid);
      if (detail.archive === undefined) return kernel.journal(pid, options);
      const found = await archive.read(pid, (reader) => reader.journal(pid, options));
      return found?.answer ?? [];
    },
    async *watch(pid, options = {}) {
      const detail = await show(pid);
      if (detail.archive === undefined) return yield* kernel.watch(pid, options);
      const { after } = options;
      yield* await own.journal!(pid, after === undefined ? {} : { after });
    },
  };
  for (const name of readingOperations) {
    const method = async (pid: string, ...rest: readonly unknown[]) => {
      try {
        return await (kernel[name] as Method)(pid, ...rest);
      } catch (error) {
        if (!isElsewhere(error)) throw error;
        const found = await archive.read(pid, (reader) => (reader[name] as Method)(pid, ...rest));
        if (found === undefined) throw error;
        return found.answer;
      }
    };
    Reflect.set(own, name, method);
  }
  return new Proxy(kernel, {
    get: (_, name) => Reflect.get(own, name) ?? (Reflect.get(kernel, name) as unknown),
  });
}
