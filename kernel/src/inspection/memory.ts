// Memory for people: the files of a process below /mem, its own and those shared with its tenant, read from the
// store. The process need not be running.
//
// MEMORY-1  Only durable data is shown, and everything written before the request.
// MEMORY-2  Below a path only names are read, a page at a time; data only for the requested file.

import {
  plainPath,
  SysError,
  type MemoryFile,
  type MemoryReport,
  type ProcessId,
} from "@aos/protocol";
import type { MemoryPage } from "../api.ts";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import type { ListedFile } from "../store/queries.ts";
import type { FileRow, ProcessRow } from "../store/rows.ts";
import { isUnderMount, MOUNTS } from "../vfs/memory-location.ts";
import { dataOf, Files } from "../vfs/files.ts";

const ROOT = "/mem";

const USUAL_LIMIT = 1000;

/** The file at a path, and a page of those below it; all of them below /mem. */
export async function memoryOf(
  journal: Journal<Store>,
  row: ProcessRow,
  path: string,
  { after, limit = USUAL_LIMIT }: MemoryPage = {},
): Promise<MemoryReport> {
  await journal.durable(); // MEMORY-1
  const owner = { ...row, row };
  const files = new Files(journal); // not the gate's, which knows what is yet to be written
  const isAll = plainPath(path) === ROOT;
  const places = isAll ? mountsFrom(after) : [path];
  if (row.compacted && isUnderMount(path, "/mem/working"))
    throw new SysError(
      "ESTATE",
      `retention removed the memory of ${row.pid}; only its result is left`,
      {
        hint: "raise the retention to keep more: see `aos gc --help`",
      },
    );
  const found = path === ROOT ? undefined : await files.peek(owner, path);
  // One more than is shown says whether there are more (MEMORY-2).
  const below: ListedFile[] = [];
  for (const place of places) {
    const page = { after: isUnderMount(after ?? "", place) ? after : undefined, limit: limit + 1 };
    if (below.length <= limit) below.push(...(await files.below(owner, place, page)));
  }
  const isMount = isAll || (MOUNTS as readonly string[]).includes(path);
  if (found === undefined && below.length === 0 && !isMount && after === undefined)
    throw new SysError("ENOENT", `${row.pid} has no file at or below ${path}`, {
      hint: `\`aos mem ls ${row.pid}\` lists its files`,
    });
  const shown = below.slice(0, limit);
  return {
    pid: row.pid as ProcessId,
    path,
    file: found === undefined ? null : { ...fileOf(sized(found)), data: dataOf(found) },
    files: shown.map(fileOf),
    next: below.length > limit ? (shown.at(-1)?.path ?? null) : null,
  };
}

/** A page goes on in the mount of the path that it comes after. */
function mountsFrom(after: string | undefined): readonly string[] {
  if (after === undefined) return MOUNTS;
  const at = MOUNTS.findIndex((mount) => isUnderMount(after, mount));
  if (at >= 0) return MOUNTS.slice(at);
  throw new SysError("EINVAL", `${after} is not a path below ${ROOT}`);
}

const sized = ({ data, ...row }: FileRow): ListedFile => ({
  ...row,
  bytes: Buffer.byteLength(data),
});

const fileOf = ({ path, bytes, writer, label, writtenAt }: ListedFile): MemoryFile => ({
  path,
  writer,
  label,
  writtenAt: new Date(writtenAt).toISOString(),
  bytes,
});
