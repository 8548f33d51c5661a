import { findQuestion } from "../answer-question.ts";
import type { Command } from "../command.ts";
import { each, explain } from "../explain.ts";

export const command: Command = async ({ args, client, out }) => {
  const question = findQuestion(await client.questions(), args[0] ?? "");
  const { about, people } = question;
  await out.data(question, () =>
    explain([
      ["id", question.id],
      ["kind", question.kind],
      ["question", question.question],
      ["choices", question.choices.join(", ") || "any text"],
      ["asked at", question.askedAt],
      ["expires at", question.expiresAt],
      ["processes", each(question.pids)],
      ["channel", question.channel],
      ["may answer", people === null ? null : people.join(", ")],
      ["needed", String(question.quorum)],
      ["votes", each(question.votes.map(({ person, choice, at }) => `${person} ${choice} ${at}`))],
      ["agent", about?.agent],
      ["call", about?.call],
      ["tool", about?.tool],
      ["arguments", about?.args],
      ["touches", about === null ? null : each(about.touches)],
      ["effect", about?.effect],
      ["reaches", about === null || about.sinks.length === 0 ? null : about.sinks.join(", ")],
      ["has read", about === null ? null : `${about.label} (${about.colour})`],
      ["rule", about?.rule],
      [question.kind === "proposal" ? "gives" : "always gives", coverOf(question)],
      ["new in that", about?.difference === undefined ? null : each(about.difference)],
      ["digest", question.digest],
    ]),
  );
};

function coverOf({ about }: ReturnType<typeof findQuestion>): string | null {
  if (about === null || about.cover.length === 0) return null;
  return about.everyTime ? "nothing: it is asked every time" : each(about.cover);
}
