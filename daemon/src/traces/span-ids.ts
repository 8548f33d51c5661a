// The ids of spans. They follow from what they are of, so that a daemon that was started again goes on in the
// same trace, and a child finds its parent without being told.

import { createHash } from "node:crypto";

const hexOf = (text: string, chars: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, chars);

/** One trace for each tree of processes. */
export const traceIdOf = (tree: string): string => hexOf(`trace ${tree}`, 32);

/** A run; or its call with this number. */
export const spanIdOf = (pid: string, n?: number): string => hexOf(`span ${pid} ${n ?? "run"}`, 16);
