import type { Command } from "../command.ts";

export const command: Command = async ({ args, client, out }) => {
  const removed = await client.removeMcpServer({ name: args[0] ?? "" });
  await out.data(removed, () => `${removed.name} is forgotten`);
};
