import type { Command } from "../command.ts";
import { readFile } from "../read-file.ts";

const command: Command = async ({ args, client, out }) => {
  const file = args[0] ?? "";
  const checked = await client.checkRole({ role: readFile(file) });
  await out.data({ ...checked, file }, () => `${file} is a role`);
};

export default command;
