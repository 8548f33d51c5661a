// read, write, list, remove, search, open, close: the virtual file system.
//
// HANDLER-FILES-1  What an untrusted process writes to the facts of an agent is in quarantine: a search does not find
//     it unless it asks for untrusted ones by name, until a person has let it in by writing it. The write says so.

import {
  isSemantic,
  judgedPath,
  mountOf,
  PIPE_IN,
  reachesSpace,
  SysError,
  type Json,
  type SyscallName,
} from "@aos/protocol";
import { CLEAN, join, labelText, readLabel } from "../label/label.ts";
import type { Process } from "../process/process.ts";
import { dataOf } from "../vfs/files.ts";
import { provenanceOf } from "../vfs/provenance.ts";
import type { SyscallResult, CallContext, SyscallHandler } from "../syscall/syscall-handler.ts";
import type { FileServices } from "./services.ts";
import { workCall } from "../syscall/work-files.ts";
import { runTool } from "./exec.ts";
import { firstPage, pageOfList, USUAL_PAGE } from "./list-page.ts";
import { rememberEnd } from "./pipe-end.ts";
import { searchStores } from "./semantic-stores.ts";
import { searchVirtual, virtualFilesOf } from "./virtual-files.ts";

const streamOf = (process: Process, fd: number | undefined) => {
  const stream = fd === undefined ? undefined : process.streams.get(fd);
  if (stream === undefined)
    throw new SysError(
      "EINVAL",
      fd === undefined ? "a path or a stream is needed" : `no stream ${fd} is open`,
    );
  return stream;
};

export const read: SyscallHandler<"read", FileServices> = async (services, args, asked) => {
  if (asked.action.tool !== undefined) return atWork(services, "read", args, asked);
  const { path, fd, offset, length, cursor, limit } = args;
  const { process } = asked;
  if (cursor !== undefined || limit !== undefined) throw noPages("read", path ?? "a stream");
  const virtual = path === undefined ? undefined : virtualFilesOf(mountOf(path));
  if (virtual !== undefined) return virtual.read(services, process, path!, { offset, length });
  if (offset !== undefined)
    throw new SysError("EINVAL", "read: offset: not supported for files of memory");
  if (path !== undefined) {
    const row = await services.files.read(process, path);
    return { value: dataOf(row), label: readLabel(row.label) };
  }
  const stream = streamOf(process, fd);
  if (stream.mode !== "read")
    throw new SysError("EINVAL", `stream ${fd} is open for appending only`);
  const row = await services.files.read(process, stream.path);
  const data = dataOf(row);
  const piece = (typeof data === "string" ? data : row.data).slice(
    stream.offset,
    stream.offset + (length ?? 65_536),
  );
  stream.offset += piece.length;
  return { value: piece, label: readLabel(row.label) };
};

export const write: SyscallHandler<"write", FileServices> = async (services, args, asked) => {
  if (asked.action.tool !== undefined) return atWork(services, "write", args, asked);
  const { path, fd, data } = args;
  const { process } = asked;
  const now = services.platform.now();
  if (path !== undefined) {
    mustBeWritable(path);
    const text = JSON.stringify(data ?? null);
    const change = written(await services.files.put(process, path, text, process.label, now));
    const isRed = process.label.integrity === "untrusted" && isSemantic(path);
    return isRed ? { ...change, value: { quarantined: true } } : change;
  }
  const stream = streamOf(process, fd);
  if (stream.mode !== "append")
    throw new SysError("EINVAL", `stream ${fd} is open for reading only`);
  if (typeof data !== "string")
    throw new SysError("EINVAL", "only text can be appended to a stream");
  return written(await services.files.append(process, stream.path, data, process.label, now));
};

const noPages = (call: string, path: string): SysError =>
  new SysError("EINVAL", `${call}: ${path} has no pages`, {
    hint: "`cursor` and `limit` are for what a connector below /mnt gives in pages",
  });

function mustBeWritable(path: string): void {
  const mount = mountOf(path);
  if (mount === undefined || mount.isWritable) return;
  throw new SysError("EINVAL", `${path} cannot be written: ${mount.path} is read-only`);
}

/** Its record has the label of the row, so that a later change is noticed. */
function written({
  writes,
  after,
}: Awaited<ReturnType<FileServices["files"]["put"]>>): SyscallResult {
  const [write] = writes;
  const label = write?.op === "file.put" ? write.row.label : PLAIN;
  return { value: null, writes, after, ...(label === PLAIN ? {} : { stored: label }) };
}

const PLAIN = labelText(CLEAN);

export const list: SyscallHandler<"list", FileServices> = async (services, args, asked) => {
  if (asked.action.tool !== undefined) return atWork(services, "list", args, asked);
  const { path, cursor, limit } = args;
  const { process } = asked;
  const virtual = virtualFilesOf(mountOf(path));
  if (virtual !== undefined)
    return pageOfList(await virtual.list(services, process, path), { cursor, limit });
  const isPage = cursor !== undefined || limit !== undefined;
  const page = isPage ? { after: cursor, limit: (limit ?? USUAL_PAGE) + 1 } : {};
  const rows = await services.files.below(process, path, page);
  const label = rows.map((row) => readLabel(row.label)).reduce(join, process.label); // names are words too
  const value = rows.map((row) => row.path);
  return { value: isPage ? firstPage(value, limit ?? USUAL_PAGE) : value, label };
};

export const remove: SyscallHandler<"remove", FileServices> = async (services, args, asked) => {
  if (asked.action.tool !== undefined) return atWork(services, "remove", args, asked);
  mustBeWritable(args.path);
  const now = services.platform.now();
  return { value: null, ...(await services.files.remove(asked.process, args.path, now)) };
};

/** A file of the workspace: its tool does it, and answers as the call would. */
async function atWork(
  services: FileServices,
  call: SyscallName,
  args: object,
  asked: CallContext,
): Promise<SyscallResult> {
  const isSemantic = (name: string) => services.devices.isSemantic(name, asked.process);
  const work = workCall(call, args, isSemantic)!;
  const done = await runTool(services, { args: work.args(work.given) }, asked);
  return { ...done, value: work.answer(done.value as never, work.given) };
}

export const search: SyscallHandler<"search", FileServices> = async (services, args, asked) => {
  const { path, query, also = [], limit = 10, cursor, label: atLeast, ...filters } = args;
  const { process } = asked;
  const mount = mountOf(path);
  const files = virtualFilesOf(mount);
  const isMemory = asked.action.tool === undefined && files === undefined;
  const given = [args.also, atLeast, ...Object.values(filters)];
  if (!isMemory && given.some((one) => one !== undefined))
    throw new SysError("EINVAL", `search: only memory has filters, and ${path} is not in it`);
  if (asked.action.tool !== undefined) return atWork(services, "search", args, asked);
  if (cursor !== undefined) throw noPages("search", path);
  if (files !== undefined)
    return searchVirtual(services, process, {
      files,
      mount: mount!,
      query: { path, query, limit },
    });
  const below = [path, ...also].map((one) => ({
    path: one,
    label: atLeast ?? (isSemantic(one) ? OUT_OF_QUARANTINE : undefined), // HANDLER-FILES-1
    mayRead: visibilityOf(asked, one),
  }));
  const outside = await searchStores(services, asked, args);
  const wanted = {
    ...filters,
    query,
    limit,
    nowMs: services.platform.now(),
    askedBy: process.label,
  };
  const found = await services.files.search(process, below, wanted, outside?.files);
  const { store } = services.journal;
  const sources =
    filters.unit === "passage"
      ? await Promise.all(found.map(({ row }) => provenanceOf(store, row)))
      : undefined;
  const value = found.map(
    ({ row, match: { passage, contradicts, replacedBy, ...match }, searchedBy }, at) => ({
      path: row.path,
      kind: match.kind,
      data: sources === undefined ? dataOf(row) : (passage?.text ?? ""),
      ...(sources?.[at] as { [name: string]: Json } | undefined),
      score: match.score,
      why: match.why.map((reason) => ({ ...reason })),
      ...(passage === undefined ? {} : { passage: { ...passage } }),
      writer: row.writer,
      writtenAt: row.writtenAt,
      label: row.label,
      ...(contradicts === undefined ? {} : { contradicts: contradicts.map((one) => one.path) }),
      ...(replacedBy === undefined ? {} : { replacedBy: replacedBy.path }),
      searchedBy,
    }),
  );
  const label = found
    .flatMap(({ row, match: { contradicts = [], replacedBy } }) => [
      row,
      ...contradicts,
      ...(replacedBy === undefined ? [] : [replacedBy]),
    ])
    .map((one) => readLabel(one.label))
    .reduce(join, process.label);
  const said = outside?.verdict === undefined ? {} : { verdict: outside.verdict };
  return { value, label, ...said };
};

/** The least trusted facts that a search finds unless it asks for others. */
const OUT_OF_QUARANTINE = "mixed";

/**
 * Which files a search may see: those that it could be asked about one by one. A grant of everything below the path is
 * enough for all, unless a rule of the operator is about memory.
 */
function visibilityOf(asked: CallContext, path: string): ((file: string) => boolean) | undefined {
  const judged = (named: string) => judgedPath(named, asked.process.row.spec.memorySpace);
  const coversAll = asked
    .granted("memory")
    .some(({ pattern, verbs }) => verbs.includes("search") && isAllBelow(pattern, judged(path)));
  if (coversAll) return undefined;
  return (file) => asked.permits({ kind: "memory", resource: judged(file), verb: "search" });
}

const isAllBelow = (pattern: string, path: string): boolean => {
  const root = pattern.endsWith("/**") ? pattern.slice(0, -3) : undefined;
  if (root === undefined || /[*?[\]{}]/.test(root)) return false;
  return reachesSpace(pattern, path) && (path === root || path.startsWith(`${root}/`));
};

export const open: SyscallHandler<"open", FileServices> = async (
  services,
  { path, mode = "read" },
  { process },
) => {
  if (mode === "read") await services.files.read(process, path);
  const fd = process.nextFd++;
  process.streams.set(fd, { path, mode, offset: 0 });
  return { value: fd };
};

export const close: SyscallHandler<"close", FileServices> = (_services, { fd }, { process }) => {
  streamOf(process, fd);
  process.streams.delete(fd);
  return { value: null };
};

/** Does again to the open streams what a recorded call did to them. */
export function replayStreams(
  process: Process,
  call: { readonly name: string; readonly args: Json },
  answer: Json,
): void {
  const args = call.args as { path?: string; mode?: "read" | "append"; fd?: number };
  if (args?.path === PIPE_IN && call.name === "read") rememberEnd(process, answer);
  else if (call.name === "open") {
    process.streams.set(answer as number, {
      path: args.path!,
      mode: args.mode ?? "read",
      offset: 0,
    });
    process.nextFd = Math.max(process.nextFd, (answer as number) + 1);
  } else if (call.name === "close") process.streams.delete(args.fd!);
  else if (call.name === "read" && args.fd !== undefined) {
    const stream = process.streams.get(args.fd);
    if (stream !== undefined) stream.offset += (answer as string).length;
  }
}
