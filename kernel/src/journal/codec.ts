// Codec: encodes calls and values as the text of records, and decodes them.
//
// CODEC-1  The same call always has the same text: replay compares it.
// CODEC-2  A large value is stored once as a blob, under the digest of its text; the record has the digest. The
//     messages of a model request are a chain of blocks, each with the digest of the one before, so that a
//     conversation of n turns costs n blocks and not n². Checkpoint states share their parts with earlier states
//     (parts.ts); the record has the digest of the whole. The common beginning of a chain and the one before it
//     (`before`) is not encoded again (model-request.ts).
// CODEC-3  `$blob` and `$chain` in a record are always references: a program value with such a key is stored as a
//     blob.
//
// Values are copied without serialising them where that is possible. Most values of programs and tools are plain:
// objects without a class, lists, texts, finite numbers.
//
// PLAIN-COPY-1  A copy equals JSON.parse(JSON.stringify(value)), with members in the same order; otherwise there is
//     none and the text decides. A test compares the two.
// PLAIN-COPY-2  Every member is read once, and only the copy is recorded and used, so that a getter or proxy cannot
//     return two different values.

import { type Json, type JsonObject, SysError } from "@aos/protocol";
import {
  type Blob,
  digestOf,
  type EncodedText,
  encodeText,
  hasBlob,
  isShort,
  NO_BLOBS,
} from "./encoded-text.ts";
import { type ChainMark, encodeRequest } from "./model-request.ts";
import { splitText } from "./parts.ts";

export { digestOf, encodeText, hasBlob };
export type { Blob, ChainMark, EncodedText };

/** The JSON text of anything a program passed; EINVAL for what JSON cannot carry. */
export function toJsonText(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value ?? null);
  } catch (error) {
    throw new SysError("EINVAL", `not a JSON value: ${(error as Error).message}`);
  }
  if (text === undefined) throw new SysError("EINVAL", `not a JSON value: a ${typeof value}`);
  return text;
}

/** What was passed without secrets: a copy that nobody else holds, and its text. */
export function scrubbedCopy(
  given: unknown,
  scrub: (text: string) => string,
): { readonly text: string; readonly value: Json } {
  const own = plainCopy(given);
  const said = toJsonText(own ?? given);
  const text = scrub(said);
  return { text, value: own !== undefined && text === said ? own : (JSON.parse(text) as Json) };
}

/** Whether the arguments of a call stand in its record as they are. */
export const isInline = (call: string, text: string): boolean => call !== "infer" && isShort(text);

/**
 * Arguments keep their shape; only the members that are large leave the record. The blobs of a chain that
 * goes on after `before` are those of the messages since then.
 */
export function encodeArgs(
  call: string,
  text: string,
  args: Json,
  before?: ChainMark,
): EncodedText {
  if (isInline(call, text)) return { text, blobs: NO_BLOBS };
  const request = call === "infer" ? encodeRequest(text, args, before) : null;
  if (request !== null) return request;
  if (args === null || typeof args !== "object" || Array.isArray(args)) return encodeText(text);
  const blobs: Blob[] = [];
  const members = Object.entries(args).map(([name, value]) => {
    const encoded = encodeText(JSON.stringify(value));
    if (call === "checkpoint")
      for (const { digest, body } of encoded.blobs) blobs.push(...splitText(body, digest));
    else blobs.push(...encoded.blobs);
    return `${JSON.stringify(name)}:${encoded.text}`;
  });
  return { text: `{${members.join(",")}}`, blobs };
}

export type FetchBlob = (digest: string) => Promise<string | undefined>;

/** The value that a record stands for, with its references followed. */
export async function decodeValue(value: Json | undefined, fetch: FetchBlob): Promise<Json> {
  if (value === undefined || value === null || typeof value !== "object" || Array.isArray(value))
    return value ?? null;
  if (typeof value["$blob"] === "string")
    return JSON.parse(await need(value["$blob"], fetch)) as Json;
  if (typeof value["$chain"] === "string") return decodeChain(value["$chain"], fetch);
  return value;
}

export async function decodeArgs(args: Json, fetch: FetchBlob): Promise<Json> {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return args;
  if (typeof args["$blob"] === "string") return decodeValue(args, fetch);
  const decoded: JsonObject = {};
  for (const [name, value] of Object.entries(args)) decoded[name] = await decodeValue(value, fetch);
  return decoded;
}

/** The arguments of a recorded call. The state of a checkpoint may have been dropped: it is a reference then. */
export async function argumentsOf(
  { call, args }: { readonly call: string; readonly args: Json },
  fetch: FetchBlob,
): Promise<Json> {
  const { $blob } = ((args as JsonObject | null)?.["state"] ?? {}) as { $blob?: string };
  const isDropped =
    call === "checkpoint" && $blob !== undefined && (await fetch($blob)) === undefined;
  return isDropped ? args : decodeArgs(args, fetch);
}

/** One block of a chain; `prev` is empty at its beginning. */
export const readContextBlock = async (
  digest: string,
  fetch: FetchBlob,
): Promise<{ prev: string; message: Json }> =>
  JSON.parse(await need(digest, fetch)) as { prev: string; message: Json };

async function decodeChain(head: string, fetch: FetchBlob): Promise<Json[]> {
  const messages: Json[] = [];
  for (let digest = head; digest !== "";) {
    const block = await readContextBlock(digest, fetch);
    messages.push(block.message);
    digest = block.prev;
  }
  return messages.reverse();
}

async function need(digest: string, fetch: FetchBlob): Promise<string> {
  const body = await fetch(digest);
  if (body === undefined) throw new SysError("ECORRUPT", `the blob ${digest} is missing`);
  if (digestOf(body) !== digest) throw new SysError("ECORRUPT", `the blob ${digest} was changed`);
  return body;
}

/** Deeper than that the text decides: a value may hold itself. */
const MAX_DEPTH = 24;

/** Undefined where only the text can say (PLAIN-COPY-1). */
export const plainCopy = (value: unknown): Json | undefined => copyOf(value, MAX_DEPTH);

function copyOf(value: unknown, depth: number): Json | undefined {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined; // -0 is written as 0
  if (typeof value !== "object" || depth === 0) return undefined;
  return Array.isArray(value) ? copyOfList(value, depth - 1) : copyOfObject(value, depth - 1);
}

function copyOfList(list: readonly unknown[], depth: number): Json | undefined {
  if (Object.getPrototypeOf(list) !== Array.prototype || "toJSON" in list) return undefined;
  const copy: Json[] = [];
  for (let at = 0; at < list.length; at++) {
    const member = copyOf(list[at], depth);
    if (member === undefined) return undefined;
    copy.push(member);
  }
  return copy;
}

function copyOfObject(value: object, depth: number): Json | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype || "toJSON" in value) return undefined;
  const copy: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    if (name === "__proto__") return undefined; // would be no member of the copy
    const given = (value as Record<string, unknown>)[name];
    if (given === undefined) continue; // JSON has no such member
    const member = copyOf(given, depth);
    if (member === undefined) return undefined;
    copy[name] = member;
  }
  return copy;
}
