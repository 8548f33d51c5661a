import { answerQuestion } from "../answer-question.ts";
import type { Command } from "../command.ts";

const YES = ["yes", "approve", "allow", "ok", "retry"];

export const command: Command = (call) => {
  const [id = "", chosen] = call.args;
  const words = chosen === undefined ? YES : [chosen];
  return answerQuestion(call, { id, words, text: call.options.text("text") });
};
