// What a try used, and what its failure says: of the model, of the request, or of neither.

import { countOf, isTransient, SysError, type FailureCode } from "@aos/protocol";

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

/** Tokens that an answer says it used; undefined where it does not. */
export function tokensOf(answer: unknown): number | undefined {
  const { usage } = (answer ?? {}) as { usage?: { inputTokens?: unknown; outputTokens?: unknown } };
  const [input, output] = [countOf(usage?.inputTokens), countOf(usage?.outputTokens)];
  return input === undefined || output === undefined ? undefined : input + output;
}

/** Tokens that a failed try used: none where its driver does not speak of any; undefined of a mistake. */
export function tokensLost(failure: unknown): number | undefined {
  if (!(failure instanceof SysError)) return undefined;
  const { spent } = (failure.detail ?? {}) as { spent?: { tokens?: unknown } };
  return spent === undefined ? 0 : countOf(spent?.tokens);
}

export const asFailure = (failure: unknown): SysError =>
  failure instanceof SysError ? failure : new SysError("EUPSTREAM", failureMessage(failure));

export const failureMessage = (failure: unknown): string =>
  failure instanceof Error ? failure.message : String(failure);
