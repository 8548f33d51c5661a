import type { Command } from "../command.ts";

export const command: Command = async ({ args, client, out }) => {
  const report = await client.removeSecret({ name: args[0] ?? "" });
  await out.data(report, () => "");
};
