// Block label: the text of a grant comes from its giver and therefore carries the giver's label.
//   labelOfWords(process)    the label of everything that its grants say; undefined where that is nothing new
//
// BLOCK-LABEL-1  A block minted by a process has the label of the process at that time. The grant of an "always" or
//     of a proposal was written by the asking process and has its label.
// BLOCK-LABEL-2  A process that asks what it holds (`self`), or is refused with a message that names a grant, has
//     read all its grants.
// BLOCK-LABEL-3  A block without a label is the operator's, or belongs to a chain that its holder's label covers.

import type { Label } from "@aos/protocol";
import { CLEAN, isAtMost, join, labelText, readLabel } from "../label/label.ts";
import type { BlockSpec } from "../store/rows.ts";
import type { Process } from "./process.ts";

/** BLOCK-LABEL-1. What a block keeps of it. */
export const blockLabel = (label: Label): Pick<BlockSpec, "label"> =>
  isAtMost(label, CLEAN) ? {} : { label: labelText(label) };

/** BLOCK-LABEL-2. */
export function labelOfWords({ row, grants }: Pick<Process, "row" | "grants">): Label | undefined {
  const said = labelsIn(row.spec.blocks);
  for (const { blocks } of grants.values()) said.push(...labelsIn(blocks));
  return said.length === 0 ? undefined : said.reduce(join);
}

/** Of one chain. */
export function labelOfChain(blocks: readonly BlockSpec[]): Label | undefined {
  const said = labelsIn(blocks);
  return said.length === 0 ? undefined : said.reduce(join);
}

const labelsIn = (blocks: readonly BlockSpec[]): Label[] =>
  blocks.flatMap(({ label }) => (label === undefined ? [] : [readLabel(label)]));
