// What the failure of a try says: of the model, of the request, or of neither.

import { isTransient, SysError, type FailureCode } from "@aos/protocol";

/** Failures that another model may not have. The others are of the request, or of who makes it. */
const OF_MODELS: ReadonlySet<FailureCode> = new Set([
  "ERATE",
  "EUPSTREAM",
  "ETIMEDOUT",
  "ENOENT",
  "EACCES",
]);

/** What is no failure of ours is a driver's mistake, which is of the model as well. */
export const isModelFault = (failure: unknown): boolean =>
  !(failure instanceof SysError) || OF_MODELS.has(failure.code);

export const isRetryable = (failure: unknown): failure is SysError =>
  failure instanceof SysError && isTransient(failure);

export const asFailure = (failure: unknown): SysError =>
  failure instanceof SysError ? failure : new SysError("EUPSTREAM", failureMessage(failure));

export const failureMessage = (failure: unknown): string =>
  failure instanceof Error ? failure.message : String(failure);
