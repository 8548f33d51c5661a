import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const removed = await client.removeMcpServer({ name: args[0] ?? "" });
  await out.data(removed, () => `removed ${removed.name}`);
};

export default command;
