// read and list below /skills, and the skills and instructions in /self.

import type { Json } from "@aos/protocol";
import type { Process } from "../process/process.ts";
import type { SyscallResult } from "../syscall/syscall-handler.ts";
import type { FileServices } from "./services.ts";
import { pieceOf } from "./cut-result.ts";
import type { VirtualFiles } from "./virtual-files.ts";

export const skillFiles: VirtualFiles = {
  /** What is longer than `length`, or asked for from a place, is told as a piece. */
  async read({ skills }, process, path, { offset, length }) {
    const { text, ...read } = await skills.read(process, path);
    const isWhole = offset === undefined && text.length <= (length ?? Infinity);
    return { value: isWhole ? text : pieceOf(text, offset ?? 0, length ?? 65_536), ...read };
  },
  async list({ skills }, process, path) {
    const { paths, label } = await skills.list(process, path);
    return { value: [...paths], label };
  },
};

export async function ownSkills(services: FileServices, process: Process): Promise<SyscallResult> {
  const { cards, label } = await services.skills.cards(process);
  return { value: cards.map(({ name, description }): Json => ({ name, description })), label };
}

export async function ownInstructions(
  services: FileServices,
  process: Process,
): Promise<SyscallResult> {
  const { texts, label } = await services.skills.instructions(process);
  return { value: [...texts], label };
}
