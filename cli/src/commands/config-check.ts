import { join, resolve } from "node:path";
import type { Command } from "../command.ts";
import { askProgram } from "../daemon-process.ts";

export const command: Command = async ({ args, out, endpoint }) => {
  const file = resolve(args[0] ?? join(endpoint.home, "config.yaml"));
  const report = await askProgram<{ ok: true; file: string }>(endpoint, [`--check-config=${file}`]);
  await out.data(report, () => `${file} is as it should be`);
};
