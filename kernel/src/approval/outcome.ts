// QuestionOutcome: the outcome of a question, read from its row.

import { SysError } from "@aos/protocol";
import { writeDuration } from "../capability/units.ts";
import type { QuestionRow } from "../store/rows.ts";

export type QuestionOutcome =
  | { readonly kind: "answered"; readonly answer: string; readonly reason: string | null }
  | { readonly kind: "withdrawn"; readonly by: string; readonly reason: string | null }
  | { readonly kind: "expired"; readonly afterMs: number };

/** Of a row that is settled, or whose time is over. */
export function questionOutcome(row: QuestionRow): QuestionOutcome {
  const { answer, reason, answeredBy, answeredAt, expiresAt, askedAt } = row;
  if (answer !== null) return { kind: "answered", answer, reason };
  if (answeredAt !== null) return { kind: "withdrawn", by: answeredBy!, reason };
  return { kind: "expired", afterMs: (expiresAt ?? askedAt) - askedAt };
}

export const isOpen = (
  row: Pick<QuestionRow, "answeredAt" | "expiresAt">,
  nowMs: number,
): boolean => row.answeredAt === null && (row.expiresAt === null || row.expiresAt > nowMs);

/** The refusal that an outcome is which is no answer. */
export function unansweredFailure(
  outcome: Exclude<QuestionOutcome, { kind: "answered" }>,
  what: string,
): SysError {
  if (outcome.kind === "expired")
    return new SysError(
      "EDENIED",
      `${what}: nobody answered within ${writeDuration(outcome.afterMs)}`,
      { hint: "the agent may ask again" },
    );
  const why = outcome.reason === null ? "" : `: ${outcome.reason}`;
  return new SysError("EDENIED", `${what}: the question was withdrawn by ${outcome.by}${why}`);
}
