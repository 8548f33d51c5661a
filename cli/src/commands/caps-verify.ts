import { exitCodes } from "@aos/protocol/words";
import { stringify } from "yaml";
import type { Command } from "../command.ts";
import { readText } from "../read-input.ts";

const command: Command = async ({ args, client, out }) => {
  const report = await client.verifyToken({ token: (await readText(args[0] ?? "")).trim() });
  await out.data(report, () => stringify(report));
  return (report as { ok: boolean }).ok ? exitCodes.success : exitCodes.refused;
};

export default command;
