import { findQuestion } from "../answer-question.ts";
import type { Command } from "../command.ts";

export const command: Command = async ({ args, client, options, out }) => {
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
