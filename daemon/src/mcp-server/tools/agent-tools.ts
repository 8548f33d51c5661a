// list_agents: what submit_goal can start by name.

import { z } from "zod";
import { omitUndefined } from "../../omit-undefined.ts";
import { successResult, toolRow } from "../tool-row.ts";

export const agentToolRow = toolRow({
  name: "list_agents",
  title: "List agents",
  description: "The agents that submit_goal can start by name.",
  operation: "agents",
  takes: [],
  own: {},
  output: z.object({
    agents: z.array(
      z.object({
        name: z.string(),
        description: z.string().optional(),
        models: z.array(z.string()),
        tools: z.array(z.string()),
      }),
    ),
  }),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async run(_args, { ask, signal, cwd }) {
    const found = await ask("agents", omitUndefined({ cwd }), signal);
    const agents = found.map(({ name, description, models, tools }) => ({
      name,
      ...(description === "" ? {} : { description }),
      models,
      tools,
    }));
    return successResult({ agents });
  },
});
