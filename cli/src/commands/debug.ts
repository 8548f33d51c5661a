import { stringify } from "yaml";
import type { Command } from "../command.ts";

export const command: Command = async ({ args, client, out }) => {
  const core = await client.coreDump({ pid: args[0] ?? "" });
  await out.data(core, () => stringify(core));
};
