import type { Command } from "../command.ts";

const command: Command = async ({ args: [name = ""], client, out }) => {
  const removed = await client.removeTenant({ name });
  await out.data(removed, () => `${name} is removed; ${removed.tokens} access tokens were revoked`);
};

export default command;
