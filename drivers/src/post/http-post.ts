// HttpPost: one JSON request to a service that the operator configured, through the same egress as every tool's.
//
// HTTP-POST-1  Only the configured host and port are reached. A name that leads to a private address is refused unless
//     the configuration says `private`; no redirect is followed.
// HTTP-POST-2  What a service answers is bounded, and no error has the address's path: it may hold a token.

import { SysError, type Touch } from "@aos/protocol";
import { createEgress, type EgressReply } from "../web/egress.ts";
import { readUrl, type UrlTarget } from "../web/url.ts";

/** What came of a try: `isFinal` where another would be refused the same way. */
export type DeliveryResult =
  | { readonly ok: true; readonly answer?: unknown }
  | {
      readonly ok: false;
      readonly isFinal: boolean;
      readonly why: string;
      readonly retryAfterMs?: number;
    };

export interface PostOptions {
  /** Private addresses are meant. */
  readonly isPrivate: boolean;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

export interface JsonRequest {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: "post" | "get";
}

export type JsonReply =
  | { readonly status: number; readonly json: unknown; readonly retryAfterMs?: number }
  | { readonly failed: Extract<DeliveryResult, { ok: false }> };

const LIMIT = 65_536;
const TIMEOUT_MS = 30_000;
const egress = createEgress();

export async function postJson(post: JsonRequest, means: PostOptions): Promise<JsonReply> {
  const target = readUrl(post.url);
  try {
    const reply = await egress.send(
      {
        method: post.method ?? "post",
        target,
        headers: { "content-type": "application/json; charset=utf-8", ...post.headers },
        body: Buffer.from(post.body),
        limit: LIMIT,
        timeoutMs: means.timeoutMs ?? TIMEOUT_MS,
        maxRedirects: 0,
      },
      { signal: means.signal, authorize: onlyTo(target, means), secret: noSecret },
    );
    return replyOf(reply);
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    const isFinal = error.code === "EACCES" || error.code === "EINVAL";
    return { failed: { ok: false, isFinal, why: error.message } };
  }
}

/** HTTP-POST-1. */
export function onlyTo(
  { host, port }: Pick<UrlTarget, "host" | "port">,
  { isPrivate }: Pick<PostOptions, "isPrivate">,
) {
  const own = `${host}:${port}`;
  return ({ resource }: Touch): void => {
    if (isPrivate || resource === own || resource.startsWith(`${own}/`)) return;
    throw new SysError(
      "EACCES",
      `${host} leads to the private address ${resource.split("/", 1)[0]}`,
      {
        hint: "set `private: true` for this row in config.yaml if that is meant",
      },
    );
  };
}

const noSecret = (): never => {
  throw new SysError("EACCES", "a notification fills in no secret by itself");
};

function replyOf({ status, headers, bytes }: EgressReply): JsonReply {
  const retryAfterMs = retryAfter(headers["retry-after"]);
  return {
    status,
    json: jsonOf(bytes.toString("utf8")),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const LONGEST_MS = 3_600_000;

/** Seconds or a date, as HTTP has it. */
export function retryAfter(value: unknown, nowMs = Date.now()): number | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) || text === "" ? undefined : Math.min(Math.max(ms, 0), LONGEST_MS);
}

/** By the status alone. */
export function resultOf(reply: JsonReply, name: string): DeliveryResult {
  if ("failed" in reply) return reply.failed;
  const { status, retryAfterMs, json } = reply;
  if (status >= 200 && status < 300) return { ok: true, answer: json };
  const isFinal = status < 500 && status !== 408 && status !== 425 && status !== 429;
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { ok: false, isFinal, why: `${name} answered ${status}`, ...wait };
}
