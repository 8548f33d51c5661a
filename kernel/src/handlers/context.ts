// read, list and search below /ctx. The process already has the label of everything in its context.

import type { Process } from "../process/process.ts";
import type { SyscallResult } from "../syscall/syscall-handler.ts";
import type { FileServices } from "./services.ts";
import { pieceOf } from "./cut-result.ts";

/** What is asked for from a place, or by its length, is told as a piece of its text. */
export async function readContext(
  services: FileServices,
  process: Process,
  path: string,
  { offset, length }: { offset?: number | undefined; length?: number | undefined },
): Promise<SyscallResult> {
  const value = await services.contexts.read(process, path);
  if (offset === undefined && length === undefined) return { value };
  return { value: pieceOf(JSON.stringify(value), offset ?? 0, length ?? 65_536) };
}

export const listContext = async (
  services: FileServices,
  process: Process,
  path: string,
): Promise<SyscallResult> => ({ value: await services.contexts.list(process, path) });

export const searchContext = async (
  services: FileServices,
  process: Process,
  { path, query, limit }: { path: string; query: string; limit: number },
): Promise<SyscallResult> => ({
  value: await services.contexts.search(process, path, query, limit),
});
