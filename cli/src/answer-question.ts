// Answers a question with one of the choices that it offers.
//
// ANSWER-QUESTION-1  The grant of an "always" is shown first and given only after a yes to it.

import type { Client } from "@aos/client";
import { SysError, type Question } from "@aos/protocol/words";
import type { CommandCall } from "./command.ts";
import { askYes } from "./ask-person.ts";
import { formatRuns } from "./format-runs.ts";

/** Choices that are a yes, and those that are a no: the first that a question offers is taken. */
export const YES_CHOICES: readonly string[] = ["yes", "approve", "allow", "ok", "retry"];
export const NO_CHOICES: readonly string[] = ["no", "deny", "fail"];

export async function answerQuestion(
  { client, options, out }: CommandCall,
  request: { id: string; words: readonly string[]; text: string | undefined; always: boolean },
  { isQuiet = false }: { isQuiet?: boolean } = {},
): Promise<void> {
  const { words, text, always } = request;
  const by = options.text("by");
  const question = await findQuestion(client, request.id);
  const { id, pid } = question;
  const choice = choose(question, words);
  if (always) await confirmAlways(question, options.flag("yes"), out.note);
  const report = await client.answer({
    id,
    choice,
    ...(text === undefined ? {} : { text }),
    ...(by === undefined ? {} : { by }),
    ...(always ? { always } : {}),
  });
  if (report.settled) out.note(`${choice}: ${pid} goes on`);
  else out.note(`${report.votes} of ${report.needed} votes are ${choice}`);
  if (report.given !== undefined) out.note(`granted with the handle ${report.given.handle}`);
  if (!isQuiet) await out.data({ ...report, pid, choice }, () => "");
}

/** ANSWER-QUESTION-1. */
async function confirmAlways(
  { id, about }: Question,
  isSure: boolean,
  note: (text: string) => void,
): Promise<void> {
  if (about === null || about.everyTime || about.cover.length === 0) {
    throw new SysError("ESTATE", `no permanent answer can be given to ${id}`, {
      hint: `answer it once: aos approve ${id}`,
    });
  }
  note(`from now on, every process of ${about.agent} will hold:`);
  for (const capability of about.cover) note(`  ${capability}`);
  note("as long as the code that would run is unchanged:");
  for (const [name, value] of formatRuns(about.runs))
    if (value !== null) note(`  ${name}: ${value}`);
  if (isSure || (await askYes("Grant it? (yes) "))) return;
  throw new SysError("EINVAL", "nothing was granted, and the question is still open", {
    hint: "answer yes, or pass --yes",
  });
}

/** By its id, or by a beginning that no other has. */
export async function findQuestion(client: Client, id: string): Promise<Question> {
  const begun = await client.questions({ id, limit: 2 });
  const exact = begun.find((question) => question.id === id);
  const found = exact ?? (begun.length === 1 ? begun[0] : undefined);
  if (found !== undefined) return found;
  throw new SysError(
    begun.length === 0 ? "ENOENT" : "EINVAL",
    begun.length === 0
      ? `no pending question has the id ${id}`
      : `several pending questions have an id that begins with ${id}`,
    { hint: "`aos approvals` lists the pending questions" },
  );
}

function choose({ choices, id }: Question, words: readonly string[]): string {
  const fitting = choices.length === 0 ? words[0] : words.find((word) => choices.includes(word));
  if (fitting !== undefined) return fitting;
  throw new SysError("EINVAL", `${id} has these answers: ${choices.join(", ")}`, {
    hint: `choose one: aos approve ${id} ${choices[0]}`,
  });
}
