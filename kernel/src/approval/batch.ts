// Batch: questions that look the same to a person, and that one answer settles.
//
// BATCH-1  Same tenant, agent, call, arguments, rule, label, channel and quorum, and the same that would
//     run (syscall/run-identity.ts): never other code, another project or other reading behind the same
//     words.
// BATCH-2  What a program asks in its own words, and what a crash left in doubt, is about that one
//     process and is never put together with another's.

import { canonicalText, type Json } from "@aos/protocol";
import { digestOf } from "../journal/codec.ts";

export interface BatchKey {
  readonly tenant: number;
  readonly agent: string;
  readonly call: string;
  readonly args: Json;
  readonly rule: string;
  readonly label: string;
  readonly channel: string | null;
  readonly quorum: number;
  readonly cover: readonly string[];
  /** The digest of what would run. */
  readonly runs: string;
}

export const batchOf = (alike: BatchKey): string =>
  digestOf(canonicalText(alike as unknown as { [name: string]: Json }));
