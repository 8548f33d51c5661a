// Turns an error response into a SysError, with the message of the daemon if it sent one.

import {
  isFailureCode,
  SysError,
  type FailureCode,
  type FailureText,
} from "@aos/protocol/failures";

export function failureFromResponse(status: number, text: string): SysError {
  try {
    const problem = JSON.parse(text) as Partial<FailureText>;
    if (typeof problem.code === "string" && isFailureCode(problem.code)) {
      return SysError.from({ ...problem, code: problem.code, message: problem.message ?? text });
    }
  } catch {
    // Not from the daemon: a proxy, or something else that listens there.
  }
  const code: FailureCode = status === 404 ? "ENOENT" : status < 500 ? "EINVAL" : "EINTERNAL";
  return new SysError(code, `HTTP ${status}: ${text.slice(0, 200)}`, {
    hint: "is this an Agent OS daemon?",
  });
}
