// Problem: a failure as an HTTP answer.

import { failures, SysError, type FailureText, type Problem } from "@aos/protocol";

/** What a status means that no failure has. */
const FINER: Readonly<Record<number, string>> = {
  401: "the caller is not authenticated",
  409: "the same request is still running",
  413: "the body is too large",
  415: "the media type of the body is not supported",
  421: "the request is for another host",
  422: "the key was used for another request",
};

/** `status` only where HTTP has a finer word than the failure's own. */
export function problemResponse(error: FailureText, status?: number): Response {
  const failure = failures[error.code];
  const title = (status === undefined ? undefined : FINER[status]) ?? failure.meaning;
  const problem: Problem = { title, status: status ?? failure.http, ...error };
  const headers = new Headers({ "content-type": "application/problem+json" });
  if (error.retryAfter !== undefined) {
    headers.set("retry-after", String(Math.ceil(error.retryAfter / 1000)));
  }
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}

/** Whatever was thrown, as a failure. What is no SysError is a mistake of ours, and is told on. */
export function toFailureText(error: unknown, onMistake: (error: unknown) => void): FailureText {
  if (error instanceof SysError) return error.toText();
  onMistake(error);
  return {
    code: "EINTERNAL",
    message: error instanceof Error ? error.message : String(error),
    hint: "this is a bug in Agent OS; the daemon's log has the details",
  };
}
