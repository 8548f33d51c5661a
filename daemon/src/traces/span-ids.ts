// The ids of spans. They are derived from what they describe, so that a restarted daemon continues the same trace,
// and a child finds its parent by itself.

import { createHash } from "node:crypto";

const hexOf = (text: string, chars: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, chars);

/** One trace for each tree of processes. */
export const traceIdOf = (tree: string): string => hexOf(`trace ${tree}`, 32);

/** A run; or its call with this number. */
export const spanIdOf = (pid: string, n?: number): string => hexOf(`span ${pid} ${n ?? "run"}`, 16);
