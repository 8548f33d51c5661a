// Reply: reads a response within limits.
//
// WEB-REPLY-1  At most `limit` bytes of decompressed data are kept; then the connection is closed, so that a small
//     body cannot expand without limit.
// WEB-REPLY-2  At most one content coding, among the requested ones.

import type { IncomingMessage } from "node:http";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { type Json, SysError } from "@aos/protocol";

export const CODINGS = "br, gzip, deflate";
const MAX_RESPONSE_HEADERS = 128;
/** Compression makes some bodies a little longer. */
const CODING_ALLOWANCE = 65_536;

export interface Body {
  readonly bytes: Buffer;
  readonly cut: boolean;
}

export async function readBody(response: IncomingMessage, limit: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(atMost(response, limit + CODING_ALLOWANCE), response)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    size = limit + 1;
  } finally {
    response.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), cut: size > limit };
}

class TooLong extends Error {}

async function* atMost(source: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > most) throw new TooLong();
    yield chunk;
  }
}

async function* decoded(
  source: AsyncGenerator<Buffer>,
  { headers }: IncomingMessage,
): AsyncGenerator<Buffer> {
  const coding = (headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const first = await source.next();
  // Nothing is nothing in every coding; HEAD, 204 and 304 have none.
  if (first.done === true) return;
  if (coding === "identity" || coding === "") {
    yield first.value;
    yield* source;
    return;
  }
  const decoder = decoderFor(coding, first.value);
  if (decoder === undefined)
    throw new SysError("EUPSTREAM", "the body has an encoding that was not requested");
  yield* through(decoder, first.value, source);
}

/** Deflate comes with and without its envelope; the first byte tells. */
function decoderFor(coding: string, first: Buffer) {
  switch (coding) {
    case "br":
      return createBrotliDecompress();
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return (first[0]! & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return undefined;
  }
}

type Decoder = NonNullable<ReturnType<typeof decoderFor>>;

async function* through(
  decoder: Decoder,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  // The feeding is not awaited: it ends with the decoder or the response.
  void (async () => {
    decoder.write(first);
    for await (const chunk of rest) {
      if (decoder.destroyed) return;
      if (!decoder.write(chunk)) await drained(decoder);
    }
    decoder.end();
  })().catch((error: Error) => void decoder.destroy(error));
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } finally {
    decoder.destroy();
  }
}

const drained = (decoder: Decoder): Promise<void> =>
  new Promise((resolve) => {
    decoder.once("drain", resolve);
    decoder.once("close", resolve);
  });

/** Names and values as JSON; cookies as a list, for they cannot be joined. */
export function headersOf(response: IncomingMessage): Record<string, Json> {
  if (response.rawHeaders.length > 2 * MAX_RESPONSE_HEADERS)
    throw new SysError("EUPSTREAM", `a response has more than ${MAX_RESPONSE_HEADERS} headers`);
  return Object.fromEntries(
    Object.entries(response.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** As text when it is text, else as base64. Of a text that was cut, half a character is left out. */
export function showBody(
  { bytes, cut }: Body,
  contentType = "",
): { text: string } | { base64: string } {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: cut });
    if (!text.includes("\0")) return { text };
  } catch {
    // Not that kind of text, or of no known kind.
  }
  return { base64: bytes.toString("base64") };
}
