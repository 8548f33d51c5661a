// Block label: the capabilities of a grant are text of whoever gave it, and so carry what the giver had read.
//
//   labelOfWords(process)    the label of everything that its grants say; undefined where that is nothing new
//
// BLOCK-LABEL-1  A block that was minted by a process has the label that the process had then. What a
//     person's "always" or yes to a proposal gives was written by the process that asked, and has its
//     label.
// BLOCK-LABEL-2  Whoever is told what it holds (`self`), or is refused in words that name a grant, has
//     read all of them: which grant a refusal names is not looked at.
// BLOCK-LABEL-3  A block without a label is the operator's, or is of a chain that its holder's own label
//     covers.

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
