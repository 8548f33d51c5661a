// list_agents: what submit_goal can start by name.

import { z } from "zod";
import { DEFAULT_TENANT } from "@aos/protocol";
import { agentFolders } from "../../agents.ts";
import type { SpawnPaths } from "../../gateway/read-spawn.ts";
import { listAgents } from "../agent-list.ts";
import { successResult, toolRow, type ToolRow } from "../tool-row.ts";

export const agentToolRows = ({ home, trust }: SpawnPaths): readonly ToolRow[] => [
  toolRow({
    name: "list_agents",
    needs: "list",
    title: "List agents",
    description: "The agents that submit_goal can start by name.",
    input: z.strictObject({}),
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
    async run(_args, { cwd }) {
      const from = { cwd, tenant: DEFAULT_TENANT };
      return successResult({ agents: listAgents(agentFolders(home, trust.trusted, from)) });
    },
  }),
];
