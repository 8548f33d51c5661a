import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const report = await client.removeSecret({ name: args[0] ?? "" });
  await out.data(report, () => "");
};

export default command;
