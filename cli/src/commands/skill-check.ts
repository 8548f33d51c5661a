import { resolve } from "node:path";
import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const folder = resolve(args[0] ?? "");
  const skill = await client.checkSkill({ folder });
  const { name, problems } = skill;
  await out.data(skill, () =>
    problems.length === 0 ? `${name}: no problems` : problems.join("\n"),
  );
  return problems.length === 0 ? exitCodes.success : exitCodes.badInput;
};

export default command;
