// Failure: maps vendor failures to the codes of this system.
//
// FAILURE-1  A failure that may pass is marked, and the kernel retries it (ERATE, or EUPSTREAM with `transient`).
//     Others are not marked.
// FAILURE-2  Tokens of a partial answer were paid for and are reported: `spent`.
// FAILURE-3  No message contains the key.

import { type Json, SysError } from "@aos/protocol";
import { retryAfterMs } from "./retry-after.ts";
import type { WireObservation } from "./recorded-fetch.ts";

export interface AttemptCost {
  readonly usd: number | null;
  readonly tokens: number;
}

interface Circumstances {
  readonly model: string;
  readonly seen: WireObservation;
  readonly signal: AbortSignal;
  readonly keySecret: string | undefined;
  /** Undefined while the model has not begun. */
  readonly spent: AttemptCost | undefined;
  readonly now: number;
}

const TRANSIENT = new Set([408, 409, 425, 500, 502, 503, 504, 520, 522, 524, 529]);
const TOO_LONG =
  /context.?(length|window|size)|prompt is too long|too many (input )?tokens|input token count|reduce the length|request_too_large|exceeds the (available )?context/i;
const NO_MONEY = /insufficient_quota|exceeded your current quota|credit balance|billing|payment/i;
const TOO_MUCH = /rate.?limit|too many requests|RESOURCE_EXHAUSTED/i;
const SHOWN_CHARS = 2000;

export function providerFailure(error: unknown, about: Circumstances): SysError {
  const { seen, signal, spent } = about;
  if (signal.aborted) return stopped(signal.reason, spent);
  const own = seen.failure ?? (error instanceof SysError ? error : undefined);
  if (own !== undefined) return withSpent(own, spent);
  const said = wordsOf(error);
  const failure = judge(said, about);
  return withSpent(failure, spent);
}

function judge({ status, text, body }: Words, about: Circumstances): SysError {
  const { model, seen, keySecret, now } = about;
  const message = hide(`${model}: ${text.slice(0, SHOWN_CHARS)}`, seen.key);
  const told = `${text} ${body}`;
  const failed = (transient: boolean, hint?: string): SysError =>
    new SysError("EUPSTREAM", message, {
      detail: { transient, ...(status === undefined ? {} : { status }) },
      hint,
    });

  if (status === 429 || (status === undefined && TOO_MUCH.test(told))) {
    if (NO_MONEY.test(told)) return failed(false, "the account at the provider has no credit left");
    const retryAfter = retryAfterMs(seen.headers ?? new Headers(), body, now);
    return new SysError("ERATE", message, { retryAfter, detail: { status: 429 } });
  }
  if (status === 401 || status === 403)
    return failed(
      false,
      keySecret === undefined
        ? "the provider requires a key: aos configure"
        : `check the key: aos configure, or aos secret set ${keySecret}`,
    );
  if ((status === 400 || status === 413) && TOO_LONG.test(told))
    return new SysError("ECONTEXT", message, { detail: { status } });
  if (status === undefined) return failed(true);
  return failed(TRANSIENT.has(status));
}

/** A SysError that stopped it stays what it is. */
function stopped(reason: unknown, spent: AttemptCost | undefined): SysError {
  const said =
    reason instanceof SysError
      ? reason
      : new SysError("EINTR", "the request was cancelled before its answer");
  return withSpent(said, spent);
}

/** FAILURE-2. */
function withSpent(failure: SysError, spent: AttemptCost | undefined): SysError {
  if (spent === undefined) return failure;
  const detail = {
    ...(failure.detail as Record<string, Json> | undefined),
    spent: { usd: spent.usd, tokens: spent.tokens },
  };
  return SysError.from({ ...failure.toText(), detail });
}

export function failedToReach(origin: string, error: unknown): SysError {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  const why = cause?.code ?? cause?.message ?? (error as Error).message;
  return new SysError("EUPSTREAM", `${origin} cannot be reached: ${why}`, {
    detail: { transient: true },
  });
}

export const cutShort = (model: string, why?: string): SysError =>
  new SysError(
    "EUPSTREAM",
    `${model}: the answer ended prematurely${why === undefined ? "" : `: ${why}`}`,
    { detail: { transient: true } },
  );

/** The vendor says itself that the answer is none: a call that it could not read. */
export const endedBadly = (model: string, raw: string | undefined): SysError =>
  new SysError("EUPSTREAM", `${model}: the answer ended with ${raw ?? "an error"}`, {
    detail: { transient: true },
  });

interface Words {
  readonly status?: number;
  readonly text: string;
  readonly body: string;
}

/** What a package throws, or puts into its stream: an error of its own, the vendor's object, or a text. */
function wordsOf(error: unknown): Words {
  if (typeof error === "string") return { text: error, body: "" };
  const { statusCode, responseBody, message, cause } = error as {
    statusCode?: unknown;
    responseBody?: unknown;
    message?: unknown;
    cause?: { message?: string };
  };
  const because = cause?.message === undefined ? "" : `: ${cause.message}`;
  const text = typeof message === "string" ? `${message}${because}` : JSON.stringify(error);
  const isFailed = typeof statusCode === "number" && statusCode >= 400;
  return {
    ...(isFailed ? { status: statusCode } : {}),
    text,
    body: typeof responseBody === "string" ? responseBody : (JSON.stringify(error) ?? ""),
  };
}

/** FAILURE-3. */
const hide = (text: string, key: string | undefined): string =>
  key === undefined || key === "" ? text : text.replaceAll(key, "•••");
