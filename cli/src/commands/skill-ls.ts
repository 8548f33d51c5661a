import type { Command } from "../command.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, out }) => {
  const skills = await client.skills({ cwd: process.cwd() });
  await out.data(skills, () =>
    table(
      ["NAME", "SOURCE", "TOOLS", "+FOLDER", "DESCRIPTION"],
      skills.map(({ name, source, allowedTools, description, problems, folder }) => [
        name,
        source,
        allowedTools === null ? "-" : allowedTools.join(" ") || "none",
        folder,
        problems.length === 0 ? short(description) : `not offered: ${problems.join("; ")}`,
      ]),
      out,
    ),
  );
};

export default command;

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 97)}...` : line;
}
