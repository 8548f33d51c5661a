// read and list below /tools: the tools that the process may call, as a model is told of them.

import { mountOf, type Json, type Label, type ToolContract } from "@aos/protocol";
import type { Process } from "../process/process.ts";
import type { SyscallResult } from "../syscall/syscall-handler.ts";
import type { FileServices } from "./services.ts";
import { offeredTools } from "./self-files.ts";
import { absentFile, wholeOrPiece, type VirtualFiles } from "./virtual-files.ts";

const TOOLS = "/tools";
/** What a workflow has to know of a tool before it calls it. */
const CONTRACT = "/contract";

export const toolFiles: VirtualFiles = {
  async list(services, process, path) {
    if (path !== TOOLS) throw absentFile(path, mountOf(path)!.path);
    const { offers, label } = await offeredTools(services, process);
    return { value: offers.map(({ name }) => `${TOOLS}/${name}`), ...labelled(label) };
  },
  async read(services, process, path, piece) {
    if (path.endsWith(CONTRACT)) return contractOf(services, process, path);
    const { offers, label } = await offeredTools(services, process);
    const offer = offers.find(({ name }) => path === `${TOOLS}/${name}`);
    if (offer === undefined) throw absentFile(path, TOOLS);
    return { value: wholeOrPiece(offer as unknown as Json, piece), ...labelled(label) };
  },
};

/** Schemas that a stranger could have written are left out, so that they label nobody. */
async function contractOf(
  { devices }: FileServices,
  process: Process,
  path: string,
): Promise<SyscallResult> {
  await devices.prepare(process.scope);
  const name = path.slice(TOOLS.length + 1, -CONTRACT.length);
  const tool = devices.tool(name, process.scope);
  const { effect, input, output, undo, descriptionLabel } = tool;
  const contract: ToolContract =
    descriptionLabel === undefined
      ? {
          name,
          effect,
          input,
          ...(output === undefined ? {} : { output }),
          ...(undo === undefined ? {} : { undo }),
        }
      : { name, effect, input: true };
  return { value: contract as unknown as Json };
}

const labelled = (label: Label | undefined) => (label === undefined ? {} : { label });
