// FROZEN as version 1 of `recall`.
//
// Recall: searches memory below some paths for words and returns the best matches first. A memory search from outside
// runs it.

import { type Integrity, type Json, type Program, SysError } from "@aos/protocol";

interface RecallInput {
  readonly paths: readonly string[];
  readonly query: string;
  readonly limit: number;
  /** At least this trusted; "untrusted" finds what is in quarantine, too. */
  readonly label?: Integrity;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
}

interface Found {
  readonly path: string;
  readonly data: Json;
  readonly score: number;
}

export const recall1: Program = async (sys, input) => {
  const { paths, query, limit = 10, ...given } = (input ?? {}) as unknown as Partial<RecallInput>;
  if (!Array.isArray(paths) || typeof query !== "string")
    throw new SysError("EINVAL", "the input names no paths, or has no words to look for", {
      hint: '{"paths": ["/mem/shared"], "query": "deploy key"}',
    });
  const { label, since, until } = given;
  const found: Found[] = [];
  for (const path of paths as readonly string[])
    found.push(
      ...((await sys.search(path, query, {
        limit,
        ...(label === undefined ? {} : { label }),
        ...(since === undefined ? {} : { since }),
        ...(until === undefined ? {} : { until }),
      })) as unknown as Found[]),
    );
  found.sort((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1));
  return found.slice(0, limit) as unknown as Json;
};
