import { findQuestion } from "../answer-question.ts";
import type { Command } from "../command.ts";
import { questionDetail } from "../question/question-detail.ts";

const command: Command = async ({ args, client, out }) => {
  const question = await findQuestion(client, args[0] ?? "");
  await out.data(question, () => questionDetail(question));
};

export default command;
