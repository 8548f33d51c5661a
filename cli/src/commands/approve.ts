import { answerQuestion } from "../answer-question.ts";
import type { Command } from "../command.ts";

const YES = ["yes", "approve", "allow", "ok", "retry"];

const command: Command = (call) => {
  const { args, options } = call;
  const [id = "", chosen] = args;
  return answerQuestion(call, {
    id,
    words: chosen === undefined ? YES : [chosen],
    text: options.text("text"),
    always: options.flag("always"),
  });
};

export default command;
