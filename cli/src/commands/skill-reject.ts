import type { Command } from "../command.ts";

const command: Command = async ({ args: [name = ""], client, out }) => {
  const rejected = await client.rejectSkillDraft({ name });
  await out.data(rejected, () => `${name} is removed`);
};

export default command;
