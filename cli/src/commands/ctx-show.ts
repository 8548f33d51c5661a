import type { Command } from "../command.ts";
import { readNumberOption } from "../read-number.ts";
import { formatContext } from "../format-context.ts";

const command: Command = async ({ args, client, options, out }) => {
  const at = readNumberOption(options.text("at"), "--at");
  const pid = args[0] ?? "";
  const report = await client.context(at === undefined ? { pid } : { pid, at });
  await out.data(report, () => formatContext(report));
};

export default command;
