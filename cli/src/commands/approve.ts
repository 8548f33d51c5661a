// `aos approve`: answers one question, or without an id walks through those that are open.

import { exitCodes, SysError } from "@aos/protocol/words";
import { answerQuestion, YES_CHOICES } from "../answer-question.ts";
import { isAtTerminal } from "../is-at-terminal.ts";
import type { Command, CommandCall } from "../command.ts";
import { askInline } from "../question/ask-inline.ts";

const command: Command = (call) => {
  const { args, options } = call;
  const [id, chosen] = args;
  if (id === undefined) return walkThrough(call);
  return answerQuestion(call, {
    id,
    words: chosen === undefined ? YES_CHOICES : [chosen],
    text: options.text("text"),
    always: options.flag("always"),
  });
};

export default command;

async function walkThrough(call: CommandCall): Promise<number> {
  const { client, out } = call;
  if (!isAtTerminal())
    throw new SysError("EINVAL", "without an id, questions are answered at a terminal", {
      hint: "`aos approvals` lists the pending questions; answer one with: aos approve ID",
    });
  let after: string | undefined;
  let shown = 0;
  for (;;) {
    const [question] = await client.questions({
      limit: 1,
      ...(after === undefined ? {} : { after }),
    });
    if (question === undefined) break;
    after = question.id;
    shown++;
    const result = await askInline(call, question, new AbortController().signal);
    if (result === "interrupted") return exitCodes.interrupted;
  }
  out.note(shown === 0 ? "no question is open" : "these were all open questions");
  return exitCodes.success;
}
