// Rows about tenants: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

const ceilingOptions = [
  ["--ceiling <capability...>", "exactly this, in place of the ceiling that is there (repeatable)"],
  ["--allow <capability...>", "this beside what it has (repeatable)"],
] as const;

export const tenantRows: readonly CommandRow[] = [
  {
    usage: "tenant ls",
    summary: "List the tenants: their processes, what they spent, what is left to them.",
    description:
      "A tenant is made with `aos tenant add`, or by `tenants:` in config.yaml. CEILING says who set the most that it may hold; LEFT is of the budgets that are configured for it.",
    examples: ["aos tenant ls", "aos tenant ls --watch", "aos tenant ls -o json"],
    watches: true,
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/tenant-ls.ts"),
  },
  {
    usage: "tenant show <name>",
    summary: "Show a tenant and its ceiling: the most that anybody of it may hold.",
    examples: ["aos tenant show acme", "aos tenant show acme -o json"],
    watches: true,
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/tenant-show.ts"),
  },
  {
    usage: "tenant add <name>",
    summary: "Make a tenant.",
    description:
      "Its ceiling is the one that ships, unless said: its own /work, memory, messages and agents, programs in the sandbox, public hosts by name, scripted models and the built-in tools.",
    options: [...ceilingOptions, ["--unlimited", "no ceiling at all"]],
    examples: [
      "aos tenant add acme",
      "aos tenant add research --allow 'model:anthropic/*:infer' --allow 'tool:mcp.github.*:call'",
    ],
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/tenant-add.ts"),
  },
  {
    usage: "tenant set <name>",
    summary: "Set the ceiling of a tenant: the most that anybody of it may hold.",
    description:
      "It counts at once, also for what runs: calls that it no longer covers are stopped. One that is in config.yaml is changed there.",
    options: [
      ...ceilingOptions,
      ["--remove <capability...>", "this no longer (repeatable)"],
      ["--reset", "the ceiling that ships"],
      ["--unlimited", "no ceiling at all"],
    ],
    examples: [
      "aos tenant set acme --allow 'model:anthropic/*:infer'",
      "aos tenant set acme --remove 'shell:*:exec'",
      "aos tenant set acme --ceiling 'file:/work/**:read' --ceiling 'tool:file.read:call'",
      "aos tenant set acme --reset",
    ],
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/tenant-set.ts"),
  },
  {
    usage: "tenant rm <name>",
    summary: "Let nothing be started in a tenant any more, and revoke its access tokens.",
    description:
      "Its processes must have ended. What it did is kept; `aos tenant add` of the same name brings it back.",
    examples: ["aos tenant rm acme"],
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/tenant-rm.ts"),
  },
];
