import type { Question } from "@aos/protocol/words";

/** The words, without the arguments that the kernel puts behind them: they are shown below. */
export function headline({ question, kind, about }: Question): string {
  const at = question.indexOf(` (${about?.agent ?? ""} wants to `);
  return kind === "policy" && at > 0 ? question.slice(0, at) : question;
}
