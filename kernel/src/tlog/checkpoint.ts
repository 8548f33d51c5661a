// The two statements that a log signs. Both are the text of a signed note.
//
//   checkpoint   c2sp.org/tlog-checkpoint: origin, tree size, root hash; a line each
//   pruned       ours: that entries below the minimum index were deleted on purpose
//
// CHECKPOINT-1  Neither text can be read as the other: the first line of a checkpoint is the log's name,
//     and "agent-os/pruned" is refused as a name.
// CHECKPOINT-2  A number has one spelling: decimal, no leading zero.

import { HASH_BYTES } from "./merkle.ts";
import type { Hash } from "./merkle.ts";
import { fromBase64 } from "./signed-note.ts";

export interface TreeHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
}

const PRUNED = "agent-os/pruned";

export function formatCheckpoint({ origin, size, root }: TreeHead): string {
  if (origin === PRUNED) throw new Error(`a log cannot be called "${PRUNED}"`);
  return `${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;
}

// Lines behind the third are extensions, which the format allows and which say nothing to us.
export function parseCheckpoint(text: string, origin: string): TreeHead {
  const lines = text.slice(0, -1).split("\n");
  const size = parseCount(lines[1]);
  const root = fromBase64(lines[2] ?? "");
  if (lines.includes("") || size === undefined || root?.length !== HASH_BYTES) {
    throw new Error("does not have the lines of a checkpoint: origin, size, root");
  }
  if (lines[0] !== origin) throw new Error(`is of the log "${lines[0]}", not of "${origin}"`);
  return { origin, size, root };
}

export function formatPruned(origin: string, minimumIndex: number): string {
  return `${PRUNED}\n${origin}\n${minimumIndex}\n`;
}

export function parsePruned(text: string, origin: string): number {
  const [kind, log, count, ...rest] = text.slice(0, -1).split("\n");
  const minimumIndex = parseCount(count);
  if (kind !== PRUNED || log !== origin || minimumIndex === undefined || rest.length > 0) {
    throw new Error(`does not say what was pruned from the log "${origin}"`);
  }
  return minimumIndex;
}

function parseCount(text: string | undefined): number | undefined {
  const count = Number(text);
  return Number.isSafeInteger(count) && /^(0|[1-9]\d*)$/u.test(text ?? "") ? count : undefined;
}
