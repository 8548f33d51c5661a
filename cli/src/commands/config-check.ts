import { join, resolve } from "node:path";
import type { Command } from "../command.ts";
import { queryDaemonProgram } from "../daemon-process.ts";

const command: Command = async ({ args, out, endpoint }) => {
  const file = resolve(args[0] ?? join(endpoint.home, "config.yaml"));
  const report = await queryDaemonProgram<{ ok: true; file: string }>(endpoint, [
    `--check-config=${file}`,
  ]);
  await out.data(report, () => `${file} is valid`);
};

export default command;
