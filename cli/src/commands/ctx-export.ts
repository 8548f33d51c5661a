import type { Command } from "../command.ts";
import { readNumber } from "../read-number.ts";

export const command: Command = async ({ args, client, options, out }) => {
  const at = readNumber(options.text("at"), "--at");
  const pid = args[0] ?? "";
  const messages = await client.exportContext(at === undefined ? { pid } : { pid, at });
  await out.data(messages, () => JSON.stringify(messages, null, 2));
};
