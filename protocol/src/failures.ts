// Failures: the table of failure codes, and the one error class that crosses rooms. `hint` says what would have made
// the call succeed.

import type { Json } from "./json.ts";

interface Failure {
  readonly http: number;
  readonly exit: number;
  readonly retry: "never" | "later";
  readonly meaning: string;
}

export const failures = {
  EACCES: {
    http: 403,
    exit: 96,
    retry: "never",
    meaning: "the process holds no capability that allows the call",
  },
  EPOLICY: {
    http: 403,
    exit: 96,
    retry: "never",
    meaning: "the policy or a label rule forbids the call",
  },
  EDENIED: { http: 403, exit: 96, retry: "never", meaning: "a person denied the call" },
  EBUDGET: {
    http: 402,
    exit: 64,
    retry: "never",
    meaning: "the budget does not cover the worst-case cost",
  },
  EAGAIN: {
    http: 429,
    exit: 67,
    retry: "later",
    meaning: "a limit is reached; the same call may succeed later",
  },
  ERATE: {
    http: 429,
    exit: 65,
    retry: "later",
    meaning: "the rate limit of a provider is reached, and the wait exceeded the time limit",
  },
  EVELOCITY: {
    http: 402,
    exit: 68,
    retry: "later",
    meaning: "spending exceeds the velocity limit",
  },
  ECONTEXT: {
    http: 413,
    exit: 97,
    retry: "never",
    meaning: "the request exceeds the context window of the model",
  },
  ETIMEDOUT: { http: 504, exit: 66, retry: "later", meaning: "the time limit was exceeded" },
  EINVAL: {
    http: 400,
    exit: 2,
    retry: "never",
    meaning: "an argument is missing or invalid",
  },
  ENOENT: {
    http: 404,
    exit: 1,
    retry: "never",
    meaning: "the named process, tool, file or other object does not exist",
  },
  EEXIST: { http: 409, exit: 1, retry: "never", meaning: "the object already exists" },
  ESTATE: {
    http: 409,
    exit: 1,
    retry: "never",
    meaning: "the present state of the object does not allow the operation",
  },
  EINDOUBT: {
    http: 409,
    exit: 1,
    retry: "never",
    meaning: "after a crash it is unknown whether the effect happened",
  },
  EUPSTREAM: { http: 502, exit: 98, retry: "later", meaning: "a tool or a model failed" },
  EINTR: { http: 409, exit: 130, retry: "later", meaning: "a signal ended the wait" },
  EFENCED: {
    http: 409,
    exit: 100,
    retry: "never",
    meaning: "another node has taken this process over",
  },
  REPLAY_DIVERGED: {
    http: 409,
    exit: 1,
    retry: "never",
    meaning: "the program made another call than its journal has",
  },
  ECORRUPT: {
    http: 500,
    exit: 1,
    retry: "never",
    meaning: "stored data was changed or damaged",
  },
  EERASED: {
    http: 410,
    exit: 1,
    retry: "never",
    meaning: "a part of the history was erased on request",
  },
  ESTORE: { http: 503, exit: 1, retry: "later", meaning: "the database cannot be used" },
  ESHUTDOWN: {
    http: 503,
    exit: 1,
    retry: "later",
    meaning: "the daemon is stopping and starts nothing new",
  },
  EPROGRAM: {
    http: 500,
    exit: 1,
    retry: "never",
    meaning: "the agent's program failed",
  },
  EINTERNAL: { http: 500, exit: 1, retry: "never", meaning: "a bug in Agent OS" },
} as const satisfies Record<string, Failure>;

export type FailureCode = keyof typeof failures;

/** A failure as it is recorded and sent: plain JSON. */
export interface FailureText {
  readonly code: FailureCode;
  readonly message: string;
  readonly hint?: string;
  /** Milliseconds after which the same call may succeed. */
  readonly retryAfter?: number;
  readonly detail?: Json;
}

export class SysError extends Error {
  readonly code: FailureCode;
  readonly hint: string | undefined;
  readonly retryAfter: number | undefined;
  readonly detail: Json | undefined;

  constructor(
    code: FailureCode,
    message: string,
    more: {
      hint?: string | undefined;
      retryAfter?: number | undefined;
      detail?: Json | undefined;
    } = {},
  ) {
    super(message);
    this.name = "SysError";
    this.code = code;
    this.hint = more.hint;
    this.retryAfter = more.retryAfter;
    this.detail = more.detail;
  }

  toText(): FailureText {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.retryAfter === undefined ? {} : { retryAfter: this.retryAfter }),
      ...(this.detail === undefined ? {} : { detail: this.detail }),
    };
  }

  static from(text: FailureText): SysError {
    return new SysError(text.code, text.message, text);
  }
}

/** Whether trying again soon may help: for the failures of models. */
export const isTransient = ({ code, detail }: SysError): boolean =>
  code === "ERATE" ||
  (code === "EUPSTREAM" && (detail as { transient?: unknown } | undefined)?.transient === true);

export const isFailureCode = (text: string): text is FailureCode => Object.hasOwn(failures, text);

/** Of processes, and of `aos` for them. Codes from 96 up leave a core dump. */
export const exitCodes = {
  success: 0,
  failed: 1,
  badInput: 2,
  budget: 64,
  rateLimited: 65,
  timeout: 66,
  queueFull: 67,
  velocity: 68,
  refused: 96,
  contextOverflow: 97,
  upstream: 98,
  leaseExpired: 100,
  lowConfidenceRefused: 101,
  lowConfidence: 102,
  interrupted: 130,
  killed: 137,
} as const;

/** An orderly stop by a person is no accident; everything else from 96 up is. */
export const leavesCoreDump = (code: number): boolean =>
  code >= 96 && code !== exitCodes.interrupted;
