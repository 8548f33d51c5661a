import type { Command } from "../command.ts";
import { ago, table } from "../table.ts";

export const command: Command = async ({ client, out }) => {
  const questions = await client.questions();
  const nowMs = Date.now();
  await out.data(questions, () =>
    table(
      ["ID", "PID", "KIND", "CHOICES", "AGE", "QUESTION"],
      questions.map(({ id, pid, kind, choices, askedAt, question }) => [
        id,
        pid,
        kind,
        choices.join("|"),
        ago(askedAt, nowMs),
        question.replaceAll(/\s+/g, " "),
      ]),
    ),
  );
};
