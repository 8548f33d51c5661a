// Pages of lists: `list` with `limit` or `cursor` answers a page, and the cursor of the next one is the last path.

import { SysError, type Json } from "@aos/protocol";
import type { SyscallResult } from "../syscall/syscall-handler.ts";

export const USUAL_PAGE = 1000;

interface PageRequest {
  readonly cursor: string | undefined;
  readonly limit: number | undefined;
}

/** Of paths of which there may be one more than fit. */
export function firstPage(paths: readonly string[], limit: number): Json {
  const shown = paths.slice(0, limit);
  return { paths: shown, next: paths.length > limit ? shown.at(-1)! : null };
}

/** Of a list that is whole. */
export function pageOfList(result: SyscallResult, { cursor, limit }: PageRequest): SyscallResult {
  if (cursor === undefined && limit === undefined) return result;
  const paths = result.value as string[];
  const from = cursor === undefined || cursor === "" ? 0 : paths.indexOf(cursor) + 1;
  if (from === 0 && cursor !== undefined && cursor !== "")
    throw new SysError("EINVAL", "list: cursor: there is no such entry any more");
  return { ...result, value: firstPage(paths.slice(from), limit ?? USUAL_PAGE) };
}
