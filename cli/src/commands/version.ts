import type { Command } from "../command.ts";
import { CLI_VERSION } from "../version.ts";

const command: Command = async ({ out }) => {
  await out.data({ version: CLI_VERSION, node: process.versions.node }, () => CLI_VERSION);
};

export default command;
