// ETag: an unchanged answer is not sent again.

import { createHash } from "node:crypto";
import type { HonoRequest } from "hono";

/** Weak: the same words, not the same bytes of a transfer. */
export async function tagged(request: HonoRequest, response: Response): Promise<Response> {
  const body = await response.text();
  const tag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const headers = new Headers(response.headers);
  headers.set("etag", tag);
  // It is one caller's, and is asked for each time.
  headers.set("cache-control", "private, no-cache");
  headers.append("vary", "authorization, cookie");
  if (!knows(request.header("if-none-match"), tag)) return new Response(body, { headers });
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
}

const knows = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" || header.split(",").some((one) => opaque(one.trim()) === opaque(tag)));

const opaque = (tag: string): string => tag.replace(/^W\//, "");
