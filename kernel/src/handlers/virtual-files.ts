// Virtual files: what a process reads below the mounts without storage: its mounts, its context,
// skills and tools, its messages, the rules that bind it, its tree, its last checkpoint.
//
// VIRTUAL-FILES-1  They are only read, and show a process only what is its own or its tree's. Everything else is
//     absent, by the same error as what does not exist.
// VIRTUAL-FILES-2  A foreign text (a message, a description, a grant) brings its label.

import {
  CONNECTORS,
  mountsBelow,
  SysError,
  type Json,
  type MountDriverName,
  type MountRow,
} from "@aos/protocol";
import type { Process } from "../process/process.ts";
import type { SyscallResult } from "../syscall/syscall-handler.ts";
import { checkpointFiles } from "./checkpoint-files.ts";
import { contextFiles } from "./context.ts";
import { pieceOf } from "./cut-result.ts";
import { messageFiles } from "./message-files.ts";
import { policyFiles } from "./policy-files.ts";
import { processFiles } from "./process-files.ts";
import { selfFiles } from "./self-files.ts";
import type { FileServices } from "./services.ts";
import { skillFiles } from "./skills.ts";
import { toolFiles } from "./tool-files.ts";

export interface ReadRange {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
}

export interface WordQuery {
  readonly path: string;
  readonly query: string;
  readonly limit: number;
}

type Result = SyscallResult | Promise<SyscallResult>;

/** What a mount answers. */
export interface VirtualFiles {
  list(services: FileServices, process: Process, path: string): Result;
  read(services: FileServices, process: Process, path: string, piece: ReadRange): Result;
  search?(services: FileServices, process: Process, query: WordQuery): Result;
}

const mountFiles: VirtualFiles = {
  list({ devices }, process, path) {
    if (path !== CONNECTORS) return { value: mountsBelow(path).map((row) => row.path) };
    const names = [...devices.connectors(process).keys()];
    return { value: names.sort().map((name) => `${CONNECTORS}/${name}`) };
  },
  read(_services, _process, path) {
    throw new SysError("EINVAL", `${path} is a folder`, { hint: `list("${path}") lists it` });
  },
};

const byDriver: Readonly<Partial<Record<MountDriverName, VirtualFiles>>> = {
  checkpoints: checkpointFiles,
  context: contextFiles,
  messages: messageFiles,
  mounts: mountFiles,
  policy: policyFiles,
  processes: processFiles,
  self: selfFiles,
  skills: skillFiles,
  tools: toolFiles,
};

/** Undefined for what is stored, or outside. */
export const virtualFilesOf = (mount: MountRow | undefined): VirtualFiles | undefined =>
  mount === undefined ? undefined : byDriver[mount.driver];

export function searchVirtual(
  services: FileServices,
  process: Process,
  { files, mount, query }: { files: VirtualFiles; mount: MountRow; query: WordQuery },
): Result {
  if (files.search !== undefined) return files.search(services, process, query);
  throw new SysError("EINVAL", `${mount.path} cannot be searched`, {
    hint: `list and read it; ${CONNECTORS} and /mem are searched`,
  });
}

/** All of a value; or, where a place or a length is given, a piece of its text. */
export const wholeOrPiece = (value: Json, { offset, length }: ReadRange): Json =>
  offset === undefined && length === undefined
    ? value
    : pieceOf(JSON.stringify(value), offset ?? 0, length ?? 65_536);

export const absentFile = (path: string, folder: string): SysError =>
  new SysError("ENOENT", `there is no file ${path}`, {
    hint: `list("${folder}") lists what there is`,
  });
