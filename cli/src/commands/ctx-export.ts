import type { Command } from "../command.ts";
import { readNumberOption } from "../read-number.ts";

const command: Command = async ({ args, client, options, out }) => {
  const at = readNumberOption(options.text("at"), "--at");
  const pid = args[0] ?? "";
  const messages = await client.exportContext(at === undefined ? { pid } : { pid, at });
  await out.data(messages, () => JSON.stringify(messages, null, 2));
};

export default command;
