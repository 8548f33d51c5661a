// Encoded text: a value as it is in a record, with the blobs that it references (CODEC-2, CODEC-3 of codec.ts).

import { hash } from "node:crypto";
import type { ChainMark } from "./model-request.ts";

/** The name of a text in the blob store. */
export const digestOf = (body: string): string => hash("sha256", body, "hex");

/** Texts up to this long stay in the record. */
const INLINE_LENGTH = 2048;

export interface Blob {
  readonly digest: string;
  /** The text; or the digests of its pieces, when it is stored in parts. */
  readonly body: string;
  readonly inParts?: true;
}

export interface EncodedText {
  readonly text: string;
  readonly blobs: readonly Blob[];
  /** Of a model request: its messages, for the next one. */
  readonly chain?: ChainMark;
}

export const NO_BLOBS: readonly Blob[] = [];

/** One character is found much sooner than a word, and most texts do not have it. */
const hasMark = (text: string): boolean => text.includes("$");

export const hasBlob = (text: string): boolean => hasMark(text) && text.includes('"$blob"');

/** Whether a text stands in the record as it is. */
export const isShort = (text: string): boolean =>
  text.length <= INLINE_LENGTH &&
  !(hasMark(text) && (text.includes('"$blob"') || text.includes('"$chain"')));

export function encodeText(text: string): EncodedText {
  if (isShort(text)) return { text, blobs: NO_BLOBS };
  const digest = digestOf(text);
  return { text: `{"$blob":"${digest}"}`, blobs: [{ digest, body: text }] };
}
