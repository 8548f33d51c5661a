import type { Command } from "../command.ts";
import { detailText } from "../detail-text.ts";

const command: Command = async ({ args, client, out }) => {
  const skill = await client.skill({ name: args[0] ?? "", cwd: process.cwd() });
  const { allowedTools, files, problems, body } = skill;
  const head = () =>
    detailText([
      ["name", skill.name],
      ["source", skill.source],
      ["folder", skill.folder],
      ["what it is for", skill.description || undefined],
      ["allows", allowedTools === null ? "all tools" : allowedTools.join(" ") || "no tools"],
      ["files", files.map(({ path, bytes }) => `${path} (${bytes})`).join(", ")],
      ["not offered", problems.length === 0 ? undefined : problems.join("; ")],
    ]);
  await out.data(skill, () => (body === "" ? head() : `${head()}\n\n${body.trimEnd()}`));
};

export default command;
