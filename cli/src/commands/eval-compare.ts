import type { Command } from "../command.ts";
import { comparisonText } from "../eval-text.ts";

const command: Command = async ({ args, client, options, out }) => {
  const variants = options.text("variants");
  const comparison = await client.compareEvals({
    pid: args[0] ?? "",
    other: args[1] ?? "",
    ...(variants === undefined ? {} : { variants }),
  });
  await out.data(comparison, () => comparisonText(comparison));
};

export default command;
