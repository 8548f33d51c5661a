// read and list below /tools: the tools that the process may call, as a model is told of them.

import { mountOf, type Json, type Label } from "@aos/protocol";
import { offeredTools } from "./self-files.ts";
import { absentFile, wholeOrPiece, type VirtualFiles } from "./virtual-files.ts";

const TOOLS = "/tools";

export const toolFiles: VirtualFiles = {
  async list(services, process, path) {
    if (path !== TOOLS) throw absentFile(path, mountOf(path)!.path);
    const { offers, label } = await offeredTools(services, process);
    return { value: offers.map(({ name }) => `${TOOLS}/${name}`), ...labelled(label) };
  },
  async read(services, process, path, piece) {
    const { offers, label } = await offeredTools(services, process);
    const offer = offers.find(({ name }) => path === `${TOOLS}/${name}`);
    if (offer === undefined) throw absentFile(path, TOOLS);
    return { value: wholeOrPiece(offer as unknown as Json, piece), ...labelled(label) };
  },
};

const labelled = (label: Label | undefined) => (label === undefined ? {} : { label });
