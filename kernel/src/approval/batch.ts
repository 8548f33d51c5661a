// Batch: questions that are identical for a person, and that one answer settles.
//
// BATCH-1  Questions of a batch have the same tenant, agent, call, arguments, rule, label, channel and quorum, and
//     the same run identity (syscall/run-identity.ts): never other code, another project or another label behind the
//     same text.
// BATCH-2  A program's own question, and an effect in doubt, concern one process and are never batched.

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
