// read and list below /self: what the process is, and the results that were cut.

import { SysError, type Json, type Label, type ToolOffer } from "@aos/protocol";
import { keptFrom, narrowingOf } from "../process/narrowing.ts";
import type { Process } from "../process/process.ts";
import type { SyscallResult } from "../syscall/syscall-handler.ts";
import { pieceOf, RESULTS } from "./cut-result.ts";
import type { FileServices } from "./services.ts";
import type { ReadRange, VirtualFiles } from "./virtual-files.ts";

const OWN = ["input", "instructions", "manifest", "narrowing", "skills", "tools"].map(
  (name) => `/self/${name}`,
);

export const selfFiles: VirtualFiles = {
  list(services, process, path) {
    if (path === "/self") return { value: [...OWN] };
    throw new SysError("ENOENT", `there is no folder ${path}`, { hint: 'list("/self") lists it' });
  },
  read(services, process, path, piece) {
    if (path.startsWith(RESULTS)) return resultOf(services, process, path, piece);
    if (piece.offset !== undefined)
      throw new SysError("EINVAL", "read: offset: supported below /self for cut results only");
    return own(services, process, path);
  },
};

async function own(services: FileServices, process: Process, path: string): Promise<SyscallResult> {
  switch (path) {
    case "/self/manifest":
      return { value: process.manifest as unknown as Json };
    case "/self/tools": {
      const { offers, label } = await offeredTools(services, process);
      return label === undefined ? { value: offers } : { value: offers, label };
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

/** What was cut, piece by piece. The process has its label already: it was told of the result. */
async function resultOf(
  services: FileServices,
  process: Process,
  path: string,
  { offset = 0, length = 65_536 }: ReadRange,
): Promise<SyscallResult> {
  await services.journal.durable();
  const body = await services.journal.store.blobOf(process.key, path.slice(RESULTS.length));
  if (body === undefined) throw new SysError("ENOENT", `there is no result ${path}`);
  return { value: pieceOf(body, offset, length) };
}

/** Those that its manifest names and no skill that it has read keeps from it. */
export async function offeredTools(
  { devices }: FileServices,
  process: Process,
): Promise<{ offers: ToolOffer[]; label: Label | undefined }> {
  await devices.prepare(process.scope);
  const { offers, label } = devices.offers(process.manifest.tools, process.scope);
  return { offers: offers.filter(({ name }) => keptFrom(process, name) === undefined), label };
}

async function ownSkills(services: FileServices, process: Process): Promise<SyscallResult> {
  const { cards, label } = await services.skills.cards(process);
  return { value: cards.map(({ name, description }): Json => ({ name, description })), label };
}

async function ownInstructions(services: FileServices, process: Process): Promise<SyscallResult> {
  const { texts, label } = await services.skills.instructions(process);
  return { value: [...texts], label };
}
