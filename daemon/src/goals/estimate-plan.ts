// EstimatePlan: what the subtasks of a plan may cost: the first request of each, and the limits of their roles.

import type { Kernel } from "@aos/kernel";
import type { AgentRole, GoalPlan, GoalReport } from "@aos/protocol";

type PlanEstimate = GoalReport["estimate"];

export async function estimatePlan(
  kernel: Pick<Kernel, "manifest" | "estimateSpawn">,
  pid: string,
  plan: GoalPlan | null,
): Promise<PlanEstimate> {
  const { manifest } = await kernel.manifest(pid);
  const { roles = [], model = [] } = manifest as unknown as {
    readonly roles?: readonly AgentRole[];
    readonly model?: string | readonly string[];
  };
  const costs = new Map<string, number | null>();
  let contextUsd = 0;
  let unknown = 0;
  let mostTokens: number | null = 0;
  for (const subtask of plan?.subtasks ?? []) {
    const role = roles.find(({ name }) => name === subtask.role);
    if (role === undefined || role.program !== undefined) continue;
    const ladder = role.model ?? [model].flat();
    const asked = ladder[subtask.tier ?? 0];
    const key = `${role.name} ${asked}`;
    if (!costs.has(key)) costs.set(key, await firstRequest(kernel, role, asked));
    const usd = costs.get(key);
    if (usd === null || usd === undefined) unknown += 1;
    else contextUsd += usd;
    const limit = subtask.budget?.tokens ?? role.budget.tokens;
    mostTokens = limit === undefined || mostTokens === null ? null : mostTokens + limit;
  }
  return { contextUsd, unknown, mostTokens };
}

async function firstRequest(
  kernel: Pick<Kernel, "estimateSpawn">,
  role: AgentRole,
  model: string | undefined,
): Promise<number | null> {
  if (model === undefined) return null;
  const { contextUsd } = await kernel.estimateSpawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: role.name,
      model,
      ...(role.system === "" ? {} : { system: role.system }),
    },
    input: role.message,
  });
  return contextUsd;
}
