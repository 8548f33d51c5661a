// Recall: searches parts of memory for words and returns the best matches first. A memory search from outside runs it.
//
// RECALL-1  What is found in different parts is ranked by one search, in which scores can be compared.
// RECALL-2  A model orders what was found, if one is named; if it fails, or its cost is beyond the budget, the order of
//     the search stays.

import {
  type Found,
  type Integrity,
  type Json,
  MOST_ALSO,
  type Program,
  type SearchOptions,
  SysError,
} from "@aos/protocol";
import { rerank } from "../retrieve/rerank.ts";

interface RecallInput {
  readonly paths: readonly string[];
  readonly query: string;
  readonly limit: number;
  /** At least this trusted; "untrusted" finds what is in quarantine, too. */
  readonly label?: Integrity;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
  /** A model that orders what was found. */
  readonly rerank?: string;
}

/** The best of the search that a model orders. */
const RERANKED = 30;

export const recallProgram: Program = async (sys, input) => {
  const { paths, query, limit = 10, ...given } = (input ?? {}) as unknown as Partial<RecallInput>;
  if (!Array.isArray(paths) || paths.length === 0 || typeof query !== "string")
    throw new SysError("EINVAL", "the input names no paths, or has no words to look for", {
      hint: '{"paths": ["/mem/shared"], "query": "deploy key"}',
    });
  const { label, since, until } = given;
  const options: SearchOptions = {
    limit: given.rerank === undefined ? limit : Math.max(limit, RERANKED),
    ...(label === undefined ? {} : { label }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
  const found: Found[] = [];
  for (let from = 0; from < paths.length; from += MOST_ALSO + 1) {
    const [path, ...also] = (paths as string[]).slice(from, from + MOST_ALSO + 1);
    found.push(
      ...(await sys.search(path!, query, also.length === 0 ? options : { ...options, also })), // RECALL-1
    );
  }
  found.sort((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1));
  if (given.rerank === undefined)
    return { found: found.slice(0, limit), rerankedBy: null } as unknown as Json;
  const ordered = await rerank(sys, given.rerank, query, found); // RECALL-2
  return {
    found: ordered.found.slice(0, limit),
    rerankedBy: ordered.isReranked ? given.rerank : null,
  } as unknown as Json;
};
