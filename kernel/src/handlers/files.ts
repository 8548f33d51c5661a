// read, write, list, remove, search, open, close: the virtual file system, with /self and /skills.

import { type Json, type SyscallName, SysError } from "@aos/protocol";
import { SKILLS } from "../capability/plain-path.ts";
import { CLEAN, join, labelText, readLabel } from "../label/label.ts";
import { keptFrom, narrowingOf } from "../process/narrowing.ts";
import type { Process } from "../process/process.ts";
import type { CallContext, SyscallHandler, SyscallResult } from "../syscall/syscall-handler.ts";
import { workCall } from "../syscall/work-files.ts";
import { isOfContext } from "../vfs/contexts.ts";
import { dataOf } from "../vfs/files.ts";
import { listContext, readContext, searchContext } from "./context.ts";
import { pieceOf, RESULTS } from "./cut-result.ts";
import { runTool } from "./exec.ts";
import type { FileServices } from "./services.ts";

const OWN = ["input", "instructions", "manifest", "narrowing", "skills", "tools"].map(
  (name) => `/self/${name}`,
);

async function own(services: FileServices, process: Process, path: string): Promise<SyscallResult> {
  switch (path) {
    case "/self/manifest":
      return { value: process.manifest as unknown as Json };
    case "/self/tools": {
      await services.devices.prepare(process.scope);
      const { offers, label } = services.devices.offers(process.manifest.tools, process.scope);
      const value = offers.filter(({ name }) => keptFrom(process, name) === undefined);
      return label === undefined ? { value } : { value, label };
    }
    case "/self/input":
      return { value: process.input };
    case "/self/skills":
      return ownSkills(services, process);
    case "/self/instructions":
      return ownInstructions(services, process);
    case "/self/narrowing":
      return { value: narrowingOf(process) as unknown as Json };
    default:
      throw new SysError("ENOENT", `there is no file ${path}`, {
        hint: `there are ${OWN.join(", ")}, and /self/results/… of what was cut`,
      });
  }
}

const streamOf = (process: Process, fd: number | undefined) => {
  const stream = fd === undefined ? undefined : process.streams.get(fd);
  if (stream === undefined)
    throw new SysError(
      "EINVAL",
      fd === undefined ? "a path or a stream is needed" : `no stream ${fd} is open`,
    );
  return stream;
};

/** What was cut, piece by piece. The process has its label already: it was told of the result. */
async function resultOf(
  services: FileServices,
  process: Process,
  {
    path,
    offset = 0,
    length = 65_536,
  }: { path: string; offset?: number | undefined; length?: number | undefined },
): Promise<SyscallResult> {
  await services.journal.durable();
  const body = await services.journal.store.blobOf(process.key, path.slice(RESULTS.length));
  if (body === undefined) throw new SysError("ENOENT", `there is no result ${path}`);
  return { value: pieceOf(body, offset, length) };
}

export const read: SyscallHandler<"read", FileServices> = async (services, args, asked) => {
  if (asked.action.tool !== undefined) return atWork(services, "read", args, asked);
  const { path, fd, offset, length } = args;
  const { process } = asked;
  if (path !== undefined && path.startsWith(RESULTS))
    return resultOf(services, process, { path, offset, length });
  if (path !== undefined && isOfSkills(path))
    return readSkill(services, process, path, { offset, length });
  if (path !== undefined && isOfContext(path))
    return readContext(services, process, path, { offset, length });
  if (offset !== undefined)
    throw new SysError(
      "EINVAL",
      "read: offset: only what was cut, skills and the context are read from a place",
    );
  if (path !== undefined && path.startsWith("/self/")) return own(services, process, path);
  if (path !== undefined) {
    const row = await services.files.read(process, path);
    return { value: dataOf(row), label: readLabel(row.label) };
  }
  const stream = streamOf(process, fd);
  if (stream.mode !== "read") throw new SysError("EINVAL", `stream ${fd} is open for adding`);
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
    if (path.startsWith("/self/")) throw new SysError("EINVAL", `${path} cannot be written`);
    const text = JSON.stringify(data ?? null);
    return written(await services.files.put(process, path, text, process.label, now));
  }
  const stream = streamOf(process, fd);
  if (stream.mode !== "append") throw new SysError("EINVAL", `stream ${fd} is open for reading`);
  if (typeof data !== "string") throw new SysError("EINVAL", "only text can be added to a stream");
  return written(await services.files.append(process, stream.path, data, process.label, now));
};

/** Its record says what the row is labelled, so that nobody can change that later unseen. */
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
  const { path } = args;
  const { process } = asked;
  if (path === "/self") return { value: [...OWN] };
  if (isOfSkills(path)) return listSkills(services, process, path);
  if (isOfContext(path)) return listContext(services, process, path);
  const rows = await services.files.below(process, path);
  const label = rows.map((row) => readLabel(row.label)).reduce(join, process.label); // names are words too
  return { value: rows.map((row) => row.path), label };
};

export const remove: SyscallHandler<"remove", FileServices> = async (services, args, asked) => {
  if (asked.action.tool !== undefined) return atWork(services, "remove", args, asked);
  return { value: null, ...(await services.files.remove(asked.process, args.path)) };
};

/** A file of the workspace: its tool does it, and answers as the call would. */
async function atWork(
  services: FileServices,
  call: SyscallName,
  args: object,
  asked: CallContext,
): Promise<SyscallResult> {
  const work = workCall(call, args)!;
  const done = await runTool(services, { args: work.args(work.given) }, asked);
  return { ...done, value: work.answer(done.value as never, work.given) };
}

export const search: SyscallHandler<"search", FileServices> = async (
  services,
  { path, query, limit },
  { process },
) => {
  if (isOfContext(path))
    return searchContext(services, process, { path, query, limit: limit ?? 10 });
  const found = await services.files.search(process, path, query, limit ?? 10);
  const value = found.map(({ row, score }) => ({ path: row.path, data: dataOf(row), score }));
  const label = found.map(({ row }) => readLabel(row.label)).reduce(join, process.label);
  return { value, label };
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
  if (call.name === "open") {
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

const isOfSkills = (path: string): boolean => path === SKILLS || path.startsWith(`${SKILLS}/`);

/** What is longer than `length`, or asked for from a place, is told as a piece. */
async function readSkill(
  services: FileServices,
  process: Process,
  path: string,
  { offset, length }: { offset?: number | undefined; length?: number | undefined },
): Promise<SyscallResult> {
  const { text, ...read } = await services.skills.read(process, path);
  const isWhole = offset === undefined && text.length <= (length ?? Infinity);
  return { value: isWhole ? text : pieceOf(text, offset ?? 0, length ?? 65_536), ...read };
}

async function listSkills(
  services: FileServices,
  process: Process,
  path: string,
): Promise<SyscallResult> {
  const { paths, label } = await services.skills.list(process, path);
  return { value: [...paths], label };
}

async function ownSkills(services: FileServices, process: Process): Promise<SyscallResult> {
  const { cards, label } = await services.skills.cards(process);
  return { value: cards.map(({ name, description }): Json => ({ name, description })), label };
}

async function ownInstructions(services: FileServices, process: Process): Promise<SyscallResult> {
  const { texts, label } = await services.skills.instructions(process);
  return { value: [...texts], label };
}
