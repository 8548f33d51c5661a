// Rows about tenants: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

const ceilingOptions = [
  ["--ceiling <capability...>", "exactly this, in place of the ceiling that is there (repeatable)"],
  ["--allow <capability...>", "this beside what it has (repeatable)"],
] as const;

export const tenantRows: readonly CommandRow[] = [
  {
    usage: "tenant ls",
    summary: "List the tenants with their processes, spending and remaining budgets.",
    description:
      "Create a tenant with `aos tenant add` or `tenants:` in config.yaml. CEILING shows who set its ceiling; LEFT shows what is left of its configured budgets.",
    examples: ["aos tenant ls", "aos tenant ls --watch", "aos tenant ls -o json"],
    watches: true,
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/tenant-ls.ts"),
  },
  {
    usage: "tenant show <name>",
    summary: "Show a tenant and its ceiling: the most that its processes may hold.",
    examples: ["aos tenant show acme", "aos tenant show acme -o json"],
    watches: true,
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/tenant-show.ts"),
  },
  {
    usage: "tenant add <name>",
    summary: "Create a tenant.",
    description:
      "It has the default ceiling unless options say otherwise: its own /work, memory, messages and agents, programs in the sandbox, public hosts by name, scripted models and the built-in tools.",
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
    summary: "Set the ceiling of a tenant: the most that its processes may hold.",
    description:
      "The ceiling takes effect at once: running calls that it no longer covers are stopped. A ceiling in config.yaml must be changed there.",
    options: [
      ...ceilingOptions,
      ["--remove <capability...>", "this no longer (repeatable)"],
      ["--reset", "reset to the default ceiling"],
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
    summary: "Disable a tenant, and revoke its access tokens.",
    description:
      "Its processes must have ended. Its history is kept; `aos tenant add` with the same name enables it again.",
    examples: ["aos tenant rm acme"],
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/tenant-rm.ts"),
  },
];
