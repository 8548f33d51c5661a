import type { Command } from "../command.ts";

const command: Command = async ({ args: [name = ""], client, out }) => {
  const removed = await client.removeTenant({ name });
  await out.data(removed, () => `removed ${name} and revoked ${removed.tokens} access tokens`);
};

export default command;
