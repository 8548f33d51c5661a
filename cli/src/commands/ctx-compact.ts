import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const told = await client.compactContext({ pid: args[0] ?? "" });
  await out.data(told, () => told.pid);
};

export default command;
