import type { Command } from "../command.ts";
import { VERSION } from "../version.ts";

export const command: Command = async ({ out }) => {
  await out.data({ version: VERSION, node: process.versions.node }, () => VERSION);
};
