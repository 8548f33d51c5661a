import type { Command } from "../command.ts";
import { readNumberOption } from "../read-number.ts";
import { sayContext } from "../say-context.ts";

const command: Command = async ({ args, client, options, out }) => {
  const at = readNumberOption(options.text("at"), "--at");
  const pid = args[0] ?? "";
  const report = await client.context(at === undefined ? { pid } : { pid, at });
  await out.data(report, () => sayContext(report));
};

export default command;
