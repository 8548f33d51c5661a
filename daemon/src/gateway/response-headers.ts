// Response headers: an ETag, so that an unchanged answer is not sent again, and the address of the next page of a cut
// list: `Link: <…>; rel="next"`.

import { createHash } from "node:crypto";
import {
  type DeadLetter,
  isFullPage,
  type JournalRecord,
  type OperationName,
  type ProcessInfo,
  type Question,
} from "@aos/protocol";
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

/** How each list goes on after its last. */
const cursors: Partial<Record<OperationName, (last: never) => [name: string, value: string]>> = {
  list: ({ pid }: ProcessInfo) => ["before", pid],
  journal: ({ seq }: JournalRecord) => ["after", String(seq)],
  questions: ({ id }: Question) => ["after", id],
  deadLetters: ({ id }: DeadLetter) => ["before", id],
};

export const mayBeCut = (name: OperationName): boolean => cursors[name] !== undefined;

export function linkToNext(
  response: Response,
  name: OperationName,
  url: string,
  args: { readonly limit?: unknown },
  answered: unknown,
): void {
  const cursor = cursors[name];
  if (cursor === undefined || !Array.isArray(answered) || answered.length === 0) return;
  if (!isFull(name, answered, args.limit)) return;
  const { pathname, searchParams } = new URL(url);
  const [parameter, value] = cursor(answered.at(-1) as never);
  searchParams.set(parameter, value);
  response.headers.set("link", `<${pathname}?${searchParams.toString()}>; rel="next"`);
}

function isFull(name: OperationName, answered: readonly unknown[], limit: unknown): boolean {
  const most = typeof limit === "number" ? limit : undefined;
  if (name === "questions") return isFullPage(answered as readonly Question[], most);
  return most !== undefined && answered.length >= most;
}
