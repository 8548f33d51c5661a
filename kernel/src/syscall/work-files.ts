// Work files: `/work` in the virtual file system. Its files are outside the kernel, so a call is carried out by the
// corresponding file tool, which declares touches and sinks. It needs only the right to the file; rules about the
// tool apply.
//
//   read(path, {offset, length})   the text of a file: all of it up to 1 MiB, or from a byte on
//   write(path, data)              a file whole, with the folders that it needs; what is no text as JSON
//   list(path)                     the files below, links as they are
//   remove(path)                   a file, or a link
//
// WORK-FILES-1  Below `/mnt/NAME` the tool is the connector's, which has the call whole (device/connectors.ts); so it
//     is below `/mem/semantic/NAME` where the mount is declared to be there too.

import {
  plainPath,
  CONNECTORS,
  SEMANTIC_MEMORY,
  SysError,
  type Json,
  type SyscallName,
  type Tool,
} from "@aos/protocol";
import type { Process } from "../process/process.ts";
import type { DeviceLookup } from "./lookups.ts";

const WORK = "/work";
const MOUNTED = `${CONNECTORS}/`;
const SEMANTIC = `${SEMANTIC_MEMORY}/`;
const MOST_READ = 1_048_576;
const MOST_LISTED = 10_000;
const DEEPEST = 20;

type Given = Readonly<Record<string, unknown>>;
type Result = Readonly<Record<string, Json>>;

interface Spelling {
  readonly tool: string;
  readonly args: (given: Given) => Json;
  /** What the call answers, of what the tool does. */
  readonly answer: (result: Result, given: Given) => Json;
}

const spellings: Partial<Readonly<Record<SyscallName, Spelling>>> = {
  read: {
    tool: "file.read",
    args: ({ path, offset = 0, length }) =>
      ({ path, offset, limit: Math.min(Number(length ?? MOST_READ), MOST_READ) }) as Json,
    answer: ({ text, next }, { path, length }) => {
      if (next === null || length !== undefined) return text!;
      throw new SysError("EINVAL", `${String(path)} has more than ${MOST_READ} bytes`, {
        hint: "read it in pieces, with offset and length",
      });
    },
  },
  write: {
    tool: "file.write",
    args: ({ path, data }) =>
      ({ path, text: typeof data === "string" ? data : JSON.stringify(data), make: true }) as Json,
    answer: () => null,
  },
  list: {
    tool: "file.list",
    args: ({ path }) => ({ path, depth: DEEPEST, limit: MOST_LISTED }) as Json,
    answer: ({ entries, cut }, { path }) => {
      if (cut === true)
        throw new SysError("EINVAL", `${String(path)} has more than ${MOST_LISTED} entries`);
      return (entries as { name: string; kind: string }[])
        .filter(({ kind }) => kind !== "folder")
        .map(({ name }) => `${String(path)}/${name}`);
    },
  },
  remove: {
    tool: "file.remove",
    args: ({ path }) => ({ path }) as Json,
    answer: ({ removed }, { path }) => {
      if (removed === true) return null;
      throw new SysError("ENOENT", `there is no file ${String(path)}`);
    },
  },
};

export interface WorkCall extends Spelling {
  readonly given: Given;
}

/** The call as the tool that does it; undefined for what is neither about `/work` nor below `/mnt`. */
export function workCall(
  call: SyscallName,
  args: unknown,
  isSemantic: (name: string) => boolean,
): WorkCall | undefined {
  const given = (args ?? {}) as Given;
  const { path } = given;
  if (typeof path !== "string") return undefined;
  if (path.startsWith(MOUNTED) || path.startsWith(SEMANTIC)) {
    const name = plainPath(path).split("/")[path.startsWith(MOUNTED) ? 2 : 3]!;
    if (path.startsWith(SEMANTIC) && !isSemantic(name)) return undefined;
    const tool = `mnt.${name}`;
    return { tool, given, args: () => ({ call, ...given }) as Json, answer: (result) => result };
  }
  if (path !== WORK && !path.startsWith(`${WORK}/`)) return undefined;
  if (given["cursor"] !== undefined || (call === "list" && given["limit"] !== undefined))
    throw new SysError("EINVAL", `${call}: files of the workspace have no pages`);
  const spelling = spellings[call];
  if (spelling !== undefined) return { ...spelling, given };
  if (call !== "open" && call !== "search") return undefined;
  throw new SysError("EINVAL", `${call}: files of the workspace have no streams and no index`, {
    hint: "read and write them whole; the tool file.grep finds lines in them",
  });
}

/** The tool; without one nothing is mounted at /work. */
export function workTool({ tool, given }: WorkCall, devices: DeviceLookup, process: Process): Tool {
  if (tool.startsWith("mnt.")) return devices.connector(tool, process);
  if (devices.isPlugged(tool)) return devices.tool(tool, process.scope);
  throw new SysError("ENOENT", `nothing is mounted at ${String(given["path"])}`);
}
