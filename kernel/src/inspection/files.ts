// Files for people: what a process sees at a path of its tree, whether it runs or has ended. Nothing is recorded, and
// the process learns nothing.
//
// FILES-REPORT-1  What is the process's own comes from the handlers that answer the process; memory from the store.
// FILES-REPORT-2  A workspace and connectors are outside the kernel: they are read by a process of their own, through
//     the gate.

import { plainPath, mountOf, SysError, type FileView, type Json } from "@aos/protocol";
import type { FileReportRequest } from "../api.ts";
import type { FileServices } from "../handlers/services.ts";
import { searchVirtual, virtualFilesOf } from "../handlers/virtual-files.ts";
import { labelText } from "../label/label.ts";
import type { ProcessRow } from "../store/rows.ts";
import type { SyscallResult } from "../syscall/syscall-handler.ts";
import { processForQuestions, type InspectedProcessParts } from "./inspected-process.ts";
import { memoryOf } from "./memory.ts";

interface Parts extends InspectedProcessParts {
  readonly fileServices: FileServices;
}

const USUAL_FOUND = 10;

export async function reportFiles(
  parts: Parts,
  row: ProcessRow,
  request: FileReportRequest,
): Promise<FileView> {
  const { call, path, query = "", limit } = request;
  const mount = mountOf(plainPath(path));
  const files = virtualFilesOf(mount);
  if (files === undefined) return storedFiles(parts, row, request);
  if (row.compacted)
    throw new SysError("ESTATE", `retention removed the history of ${row.pid}`, {
      hint: "raise the retention to keep more: see `aos gc --help`",
    });
  const process = await processForQuestions(parts, row);
  const { fileServices: services } = parts;
  const ask = (): SyscallResult | Promise<SyscallResult> => {
    if (call === "list") return files.list(services, process, path);
    if (call === "read") return files.read(services, process, path, {});
    const wanted = { path, query, limit: limit ?? USUAL_FOUND };
    return searchVirtual(services, process, { files, mount: mount!, query: wanted });
  };
  const { value, label } = await ask();
  return { ...NOTHING, ...shaped(call, value), label: labelText(label ?? process.label) };
}

const NOTHING = { entries: [], found: [], data: null, next: null, writer: null, writtenAt: null };

function shaped(call: FileReportRequest["call"], value: Json): Partial<FileView> {
  if (call === "read") return { data: value };
  if (call === "search") return { found: value as unknown as FileView["found"] };
  return { entries: (value as string[]).map((path) => ({ path, ...UNSAID })) };
}

const UNSAID = { bytes: null, writer: null, writtenAt: null, label: null };

async function storedFiles(
  parts: Parts,
  row: ProcessRow,
  { call, path, after, limit }: FileReportRequest,
): Promise<FileView> {
  const mount = mountOf(path);
  if (mount?.driver !== "store" || call === "search")
    throw new SysError(
      "EINVAL",
      `${path} of ${row.pid} cannot be reached from outside by ${call}`,
      {
        hint:
          mount?.driver === "workspace"
            ? `\`aos diff ${row.pid}\` shows what it changed in /work`
            : "without --pid, `aos fs` reads what the tenant shares and its connectors",
      },
    );
  const page = await memoryOf(parts.journal, row, path, { after, limit });
  if (call === "list") return { ...NOTHING, entries: page.files, next: page.next, label: null };
  if (page.file === null) throw new SysError("EINVAL", `${path} is a folder`);
  const { data, writer, writtenAt, label } = page.file;
  return { ...NOTHING, data, writer, writtenAt, label };
}
