// Answering what waits for a person, in the words that the question itself offers.

import { SysError, type Question } from "@aos/protocol/words";
import type { Call } from "./command.ts";

export async function answerQuestion(
  { client, out }: Call,
  { id, words, text }: { id: string; words: readonly string[]; text: string | undefined },
): Promise<void> {
  const question = find(await client.questions(), id);
  const choice = choose(question, words);
  await client.answer({ id: question.id, choice, ...(text === undefined ? {} : { text }) });
  await out.data({ id: question.id, pid: question.pid, choice }, () => "");
}

function find(questions: readonly Question[], id: string): Question {
  const exact = questions.find((question) => question.id === id);
  const begun = questions.filter((question) => question.id.startsWith(id));
  const found = exact ?? (begun.length === 1 ? begun[0] : undefined);
  if (found !== undefined) return found;
  throw new SysError(
    begun.length === 0 ? "ENOENT" : "EINVAL",
    begun.length === 0
      ? `nothing that waits has the id ${id}`
      : `more than one id begins with ${id}`,
    { hint: "`aos approvals` lists what waits" },
  );
}

function choose({ choices, id }: Question, words: readonly string[]): string {
  const fitting = choices.length === 0 ? words[0] : words.find((word) => choices.includes(word));
  if (fitting !== undefined) return fitting;
  throw new SysError("EINVAL", `${id} has other answers: ${choices.join(", ")}`, {
    hint: `choose one: aos approve ${id} ${choices[0]}`,
  });
}
