import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { ago, left, table } from "../table.ts";

export const command: Command = async ({ client, out }) => {
  const questions = await client.questions();
  const nowMs = Date.now();
  await out.data(questions, () =>
    table(
      "ID PID +ASKS +KIND +CHANNEL +VOTES CHOICES AGE EXPIRES RULE COLOUR +ALWAYS QUESTION".split(
        " ",
      ),
      questions.map((question) => [
        question.id,
        question.pid,
        String(question.count),
        question.kind,
        question.channel ?? "",
        `${question.votes.length}/${question.quorum}`,
        printable(question.choices.join("|")).replaceAll(/\s+/g, " "),
        ago(question.askedAt, nowMs),
        question.expiresAt === null ? "" : left(question.expiresAt, nowMs),
        question.about?.rule ?? "",
        question.about?.colour ?? "",
        question.about === null || question.about.everyTime
          ? ""
          : printable(question.about.cover.join(" ")),
        printable(question.question.replaceAll(/\s+/g, " ")),
      ]),
      out,
    ),
  );
};
