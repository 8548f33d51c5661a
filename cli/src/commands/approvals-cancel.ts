import { findQuestion } from "../answer-question.ts";
import type { Command } from "../command.ts";

const command: Command = async ({ args, client, options, out }) => {
  const { id } = await findQuestion(client, args[0] ?? "");
  const text = options.text("text");
  const by = options.text("by");
  const report = await client.cancelQuestion({
    id,
    ...(text === undefined ? {} : { text }),
    ...(by === undefined ? {} : { by }),
  });
  await out.data(report, () => "");
};

export default command;
