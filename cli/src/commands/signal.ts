import type { Command } from "../command.ts";
import { signalOf } from "../signal-of.ts";

const command: Command = async ({ args, client, out }) => {
  const sent = await client.signal({ pid: args[0] ?? "", signal: signalOf(args[1] ?? "") });
  await out.data(sent, () => "");
};

export default command;
