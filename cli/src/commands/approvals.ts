import { isFullPage, MOST_QUESTIONS, USUAL_QUESTIONS, type Question } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readLimit, printMoreHint } from "../list-page.ts";
import { printable } from "../printable.ts";
import { questionList } from "../question/question-list.ts";
import { ago, left, table } from "../table.ts";

const command: Command = async ({ client, options, out }) => {
  const limit = readLimit(options, { usual: USUAL_QUESTIONS, most: MOST_QUESTIONS });
  const after = options.text("after");
  const questions = await client.questions({ limit, ...(after === undefined ? {} : { after }) });
  const nowMs = Date.now();
  const width = process.stdout.columns ?? 80;
  await out.data(questions, () =>
    out.isWide ? wideTable(questions, nowMs) : questionList(questions, { nowMs, width }),
  );
  const last = questions.at(-1);
  if (last === undefined || !isFullPage(questions, limit)) return;
  if ((await client.questions({ limit: 1, after: last.id })).length === 0) return;
  const next = `aos approvals -n ${limit} --after ${last.id}`;
  printMoreHint(out, { listed: questions.length, most: MOST_QUESTIONS, next });
};

export default command;

const wideTable = (questions: readonly Question[], nowMs: number): string =>
  table(
    "ID PID ASKS KIND CHANNEL VOTES CHOICES AGE EXPIRES RULE COLOUR ALWAYS QUESTION".split(" "),
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
  );
