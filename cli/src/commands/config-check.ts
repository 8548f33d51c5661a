import { join, resolve } from "node:path";
import type { Command } from "../command.ts";
import { askProgram } from "../daemon-process.ts";

export const command: Command = async ({ args, out, place }) => {
  const file = resolve(args[0] ?? join(place.home, "config.yaml"));
  const report = await askProgram<{ ok: true; file: string }>(place, [`--check-config=${file}`]);
  await out.data(report, () => `${file} is as it should be`);
};
