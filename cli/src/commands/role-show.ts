import type { Command } from "../command.ts";
import { printable } from "../printable.ts";

const command: Command = async ({ args, client, out }) => {
  const role = await client.role({ name: args[0] ?? "", cwd: process.cwd() });
  await out.data(role, () => printable(role.text).trimEnd());
};

export default command;
