// read and list below /skills.

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
