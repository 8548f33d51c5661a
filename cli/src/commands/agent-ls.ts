import type { Command } from "../command.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, out }) => {
  const agents = await client.agents({ cwd: process.cwd() });
  if (agents.length === 0)
    out.note("no agent has a name here: put NAME.yaml into .agents/agents, or see aos init");
  await out.data(agents, () =>
    table(
      ["NAME", "MODELS", "+TOOLS", "WHAT IT IS FOR"],
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
