// Record links: the hash of each record covers its whole text and the hash before it, from the first record on. The
// kernel makes them, on whichever of its threads: always before the code of a database has the text.
//
// RECORD-LINKS-1  An extension goes on from the hash that the journal gives. Where the journal has none yet, because
//     the answer to an earlier commit is under way, it goes on from the last one made here for its process.

import type * as Crypto from "node:crypto";
import type { Extension } from "./base-contract.ts";

/** Of a hash in hex. */
export const HASH_LENGTH = 64;
/** In the place of a hash that the journal does not have yet. */
export const UNDER_WAY = "-".repeat(HASH_LENGTH);
/** Of a record that is not linked yet. */
export const NO_HASH = new Uint8Array(0);

/** Loaded with the first record: a thread that has only been started is ready 5 ms sooner. */
let crypto: typeof Crypto | undefined;

/** The hash of a record that follows the one with hash `previous`, both in hex. */
export function linkHash(previous: string, text: string): string {
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto.hash("sha256", `${previous}\n${text}`, "hex");
}

/** Gives each of its records its hash; the last one, in hex. */
export function linkRecords(extension: Extension, before: string): string {
  let end = before;
  for (const record of extension.records) {
    end = linkHash(end, record.text);
    record.hash = Buffer.from(end, "hex");
  }
  return (extension.end = end);
}
