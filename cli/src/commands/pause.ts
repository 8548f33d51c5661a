import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const sent = await client.signal({ pid: args[0] ?? "", signal: "SIGSTOP" });
  await out.data(sent, () => "");
};

export default command;
