// Rows about tenants: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

const ceilingOptions = [
  ["--ceiling <capability...>", "exactly this, in place of the ceiling that is there (repeatable)"],
  ["--allow <capability...>", "this beside what it has (repeatable)"],
] as const;

export const tenantRows: readonly CommandRow[] = [
  {
    usage: "tenant ls",
    summary: operationHelp.tenants.summary,
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
    summary: operationHelp.tenant.summary,
    examples: ["aos tenant show acme", "aos tenant show acme -o json"],
    watches: true,
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/tenant-show.ts"),
  },
  {
    usage: "tenant add <name>",
    summary: operationHelp.addTenant.summary,
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
    summary: operationHelp.setTenant.summary,
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
    summary: operationHelp.removeTenant.summary,
    description:
      "Its processes must have ended. Its history is kept; `aos tenant add` with the same name enables it again.",
    examples: ["aos tenant rm acme"],
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/tenant-rm.ts"),
  },
];
