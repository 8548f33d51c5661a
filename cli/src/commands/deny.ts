import { answerQuestion } from "../answer-question.ts";
import type { Command } from "../command.ts";

const NO = ["no", "deny", "fail"];

export const command: Command = (call) =>
  answerQuestion(call, { id: call.args[0] ?? "", words: NO, text: call.options.text("reason") });
