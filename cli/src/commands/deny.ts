import { SysError } from "@aos/protocol/words";
import { answerQuestion, NO_CHOICES } from "../answer-question.ts";
import type { Command } from "../command.ts";

const command: Command = async (call) => {
  const { args, options } = call;
  const [text, ...more] = [options.text("text"), options.text("reason")].filter(
    (given) => given !== undefined,
  );
  if (more.length > 0) throw new SysError("EINVAL", "--text and --reason mean the same: pass one");
  await answerQuestion(call, { id: args[0] ?? "", words: NO_CHOICES, text, always: false });
};

export default command;
