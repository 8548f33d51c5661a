import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const sent = await client.signal({ pid: args[0] ?? "", signal: "SIGCONT" });
  await out.data(sent, () => "");
};

export default command;
