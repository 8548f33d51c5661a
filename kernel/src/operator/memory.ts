// Memory for people: the files that a process has below /mem, its own and those that it shares with its
// tenant. They are read where they are kept: the process need not run, or live.
//
// M1  Only what is durable is shown, and all that was written before it was asked for.

import { SysError, type MemoryFile, type MemoryReport, type ProcessId } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { FileRow, ProcessRow } from "../store/rows.ts";
import { dataOf, Files, isBelow, MOUNTS, plainPath } from "../vfs/files.ts";

const ROOT = "/mem";

/** The file at a path, and those below it; all of them below /mem. */
export async function memoryOf(
  journal: Journal,
  row: ProcessRow,
  path: string,
): Promise<MemoryReport> {
  await journal.durable(); // M1
  const files = new Files(journal); // not the gate's, which knows what is yet to be written
  const places = plainPath(path) === ROOT ? MOUNTS : [path];
  if (row.compacted && isBelow(path, "/mem/working"))
    throw new SysError("ESTATE", `what ${row.pid} had of its own is gone; its result is left`, {
      hint: "retention keeps more: see `aos gc --help`",
    });
  const found = path === ROOT ? undefined : await files.peek(row, path);
  const below = (await Promise.all(places.map((place) => files.below(row, place)))).flat();
  const isMount = places === MOUNTS || (MOUNTS as readonly string[]).includes(path);
  if (found === undefined && below.length === 0 && !isMount)
    throw new SysError("ENOENT", `${row.pid} has no file ${path}, and none below it`, {
      hint: `\`aos mem ls ${row.pid}\` lists what it has`,
    });
  return {
    pid: row.pid as ProcessId,
    path,
    file: found === undefined ? null : { ...fileOf(found), data: dataOf(found) },
    files: below.map(fileOf),
  };
}

const fileOf = ({ path, data, writer, label, writtenAt }: FileRow): MemoryFile => ({
  path,
  writer,
  label,
  writtenAt: new Date(writtenAt).toISOString(),
  bytes: Buffer.byteLength(data),
});
