// read, list and search below /ctx. The process already has the label of everything in its context.

import { wholeOrPiece, type VirtualFiles } from "./virtual-files.ts";

export const contextFiles: VirtualFiles = {
  list: async ({ contexts }, process, path) => ({ value: await contexts.list(process, path) }),
  /** What is asked for from a place, or by its length, is told as a piece of its text. */
  read: async ({ contexts }, process, path, piece) => ({
    value: wholeOrPiece(await contexts.read(process, path), piece),
  }),
  search: async ({ contexts }, process, { path, query, limit }) => ({
    value: await contexts.search(process, path, query, limit),
  }),
};
