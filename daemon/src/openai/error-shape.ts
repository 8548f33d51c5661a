// Error shape: every refusal below /v1, in the format of OpenAI's clients, with the kernel's code.
//
//   {"error": {"message", "type", "param", "code": "EBUDGET", "hint"}}
//
// ERROR-SHAPE-1  Below /v1 there is no other format, also for unknown callers, rate limits and unknown paths.
// ERROR-SHAPE-2  A client retries by itself only where nothing was begun and a later request may succeed.

import {
  failures,
  type FailureCode,
  type FailureText,
  type Json,
  type Problem,
} from "@aos/protocol";
import type { MiddlewareHandler } from "hono";
import type { GatewayEnv } from "../gateway/caller.ts";
import { problemResponse } from "../gateway/problem.ts";

export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: FailureCode;
  readonly hint: string | null;
}

/** ERROR-SHAPE-1. Stands before everything else that answers. */
export const openAiErrors: MiddlewareHandler<GatewayEnv> = async (context, next) => {
  await next();
  const { res } = context;
  if (!res.headers.get("content-type")?.startsWith("application/problem+json")) return;
  const problem = (await res.json()) as Problem;
  const error = openAiError(problem, res.status);
  const shaped = Response.json({ error }, { status: res.status });
  const isWorthIt = failures[problem.code].retry === "later";
  if (!res.headers.has(RETRY)) shaped.headers.set(RETRY, String(isWorthIt)); // ERROR-SHAPE-2
  context.res = shaped;
};

const RETRY = "x-should-retry";

/** A run that came to nothing: not to be asked for again by a client itself. */
export function runFailed(failure: FailureText, headers: Record<string, string>): Response {
  const response = problemResponse(failure);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  response.headers.set(RETRY, "false"); // ERROR-SHAPE-2
  return response;
}

export function openAiError(failure: FailureText, status: number): OpenAiError {
  const { message, code, hint, detail } = failure;
  return { message, type: typeOf(status), param: paramOf(detail), code, hint: hint ?? null };
}

const paramOf = (detail: Json | undefined): string | null => {
  const { param } = (detail ?? {}) as { param?: unknown };
  return typeof param === "string" ? param : null;
};

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  429: "rate_limit_error",
};

const typeOf = (status: number): string =>
  TYPES[status] ?? (status < 500 ? "invalid_request_error" : "server_error");

/** What `error.code` of a failed response says. Clients ask again, or do not, by these words. */
export function responseErrorCode(code: FailureCode): string {
  if (code === "EBUDGET" || code === "EVELOCITY") return "insufficient_quota";
  if (code === "ECONTEXT") return "context_length_exceeded";
  if (code === "EAGAIN" || code === "ERATE") return "rate_limit_exceeded";
  return failures[code].retry === "later" ? "server_error" : "invalid_prompt";
}
