import type { Command } from "../command.ts";
import { evalText } from "../eval-text.ts";

const command: Command = async ({ args, client, options, out }) => {
  const report = await client.eval({ pid: args[0] ?? "" });
  await out.data(report, () => evalText(report, options.flag("all")));
};

export default command;
