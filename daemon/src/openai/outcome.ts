// Outcome: what a run came to, as the one turn that it was; or the failure that it ended with.

import { type Ending, type Json, type Manifest, SysError } from "@aos/protocol";
import type { Turn, TurnResult } from "@aos/userland";

export const isTurnResult = (output: Json | TurnResult): output is Json & TurnResult =>
  typeof output === "object" &&
  output !== null &&
  "said" in output &&
  Array.isArray(output.said) &&
  "calls" in output;

/** Throws how it failed. A program of one's own (`isPlain`) returns whatever it likes. */
export function turnResultOf(ending: Ending, isPlain: boolean): TurnResult {
  const { pid, state, exitCode, output, error } = ending;
  if (!isPlain && isTurnResult(output)) return output;
  if (isPlain && state === "completed" && exitCode === 0) return spoken(output);
  if (error !== null) throw SysError.from(error);
  throw new SysError("EINTR", `the run ended as ${state}, with exit code ${exitCode}`, {
    hint: `aos why ${pid}`,
  });
}

function spoken(output: Json): TurnResult {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  const said = [{ role: "assistant" as const, content: text }];
  return { text, finish: "stop", calls: [], said };
}

/** Whether words can be told as they are said: where the answer has a form, only the whole is one. */
export const isLive = (
  { output, confidence }: Manifest,
  { schema }: Pick<Turn, "schema">,
): boolean => output === undefined && confidence === undefined && schema === undefined;

/** What the agent said, step by step; where its answer has a form, the answer alone. */
export const paragraphsOf = ({ said, text }: TurnResult, live: boolean): string[] =>
  (live
    ? said.filter(({ role }) => role === "assistant").map(({ content }) => content)
    : [text]
  ).filter((words) => words !== "");

/** Between two paragraphs, wherever both are told as one text. */
export const BETWEEN = "\n\n";

export const replyText = (turned: TurnResult, live: boolean): string =>
  paragraphsOf(turned, live).join(BETWEEN);
