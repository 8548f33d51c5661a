import type { Command } from "../command.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, out }) => {
  const agents = await client.agents({ cwd: process.cwd() });
  if (agents.length === 0)
    out.note("no named agents here: put NAME.yaml into .agents/agents, or run aos init");
  await out.data(agents, () =>
    table(
      ["NAME", "MODELS", "+TOOLS", "DESCRIPTION"],
      agents.map(({ name, models, tools, description }) => [
        name,
        models.join(" ") || "a program",
        tools.join(" "),
        description,
      ]),
      out,
    ),
  );
};

export default command;
