// GoalManifest: what a goal is when nobody wrote a manifest for it: the roles of its caller, its models, and the most that it may do.
//
// GOAL-MANIFEST-1  By default a goal may read the web, use its own workspace and run programs in the sandbox. It may send
//     nothing, use no MCP server and no secret: that takes `--cap`, or `goals.capabilities` of config.yaml.

import type { AgentRole, ManifestText } from "@aos/protocol";

const OWN_TOOLS = [
  "echo",
  "http.fetch",
  "build.run",
  "shell.execute",
  ...["read", "read_many", "list", "grep", "write", "append", "edit", "move", "remove"].map(
    (name) => `file.${name}`,
  ),
  "json.query",
  ...["status", "diff", "log", "commit"].map((name) => `git.${name}`),
];

/** GOAL-MANIFEST-1. */
export const DEFAULT_GOAL_CAPABILITIES: readonly string[] = [
  "file:/work/**:read,write,list,remove",
  "http:*/**:get,head",
  `tool:${OWN_TOOLS.join(",")}:call`,
  "shell:npm,make,cargo,pytest,git,node,python3,sh,bash:exec",
];

interface GoalWish {
  readonly roles: readonly AgentRole[];
  readonly model: readonly string[];
  readonly planner?: "auto" | "always" | "never" | undefined;
  readonly plannerModel?: string | undefined;
  readonly parallel?: number | undefined;
  readonly capabilities: readonly string[];
}

export function goalManifestOf(wish: GoalWish): ManifestText {
  const { roles, model, planner, plannerModel, parallel } = wish;
  const models = new Set([
    ...model,
    ...(plannerModel === undefined ? [] : [plannerModel]),
    ...roles.flatMap((role) => role.model ?? []),
  ]);
  return {
    apiVersion: "aos/v1",
    kind: "Goal",
    name: "goal",
    roles: roles.map(roleText),
    ...(model.length === 0 ? {} : { model: [...model] }),
    planner: {
      use: planner ?? "auto",
      ...(plannerModel === undefined ? {} : { model: plannerModel }),
      ...(parallel === undefined ? {} : { parallel }),
    },
    capabilities: [
      "agent:inline/*:spawn",
      ...[...models].map((name) => `model:${name}:infer`),
      ...wish.capabilities,
    ],
  };
}

/** As it is written: the kernel reads it again. */
function roleText({ budget, ...role }: AgentRole) {
  const { wall, ...counts } = budget;
  return { ...role, budget: { ...counts, ...(wall === undefined ? {} : { wall: `${wall}ms` }) } };
}
