// Commands: the rows of the command line. Help comes from the row; the code is loaded when called.

import { operationHelp } from "@aos/protocol/help";
import { approvalRows, capsRows, policyRows, secretRows } from "./authority-rows.ts";
import type { CommandRow } from "./command.ts";
import { configRows } from "./config-rows.ts";
import { contextRows } from "./context-rows.ts";
import { costRows } from "./cost-rows.ts";
import { evalRows } from "./eval-rows.ts";
import { goalRows } from "./goal-rows.ts";
import { processRows } from "./process-rows.ts";
import { queueRows } from "./queue-rows.ts";
import { setupRows } from "./setup-rows.ts";
import { serviceRows } from "./service-rows.ts";
import { archiveRows } from "./archive-rows.ts";
import { backupRows } from "./backup-rows.ts";
import { fleetRows } from "./fleet-rows.ts";
import { scheduleRows } from "./schedule-rows.ts";
import { storeRows } from "./store-rows.ts";
import { skillRows } from "./skill-rows.ts";
import { mcpRows } from "./mcp-rows.ts";
import { fileRows } from "./file-rows.ts";
import { memoryRows } from "./memory-rows.ts";
import { messageRows } from "./message-rows.ts";
import { modelRows } from "./model-rows.ts";
import { notifyRows } from "./notify-rows.ts";
import { testRows } from "./test-rows.ts";
import { tenantRows } from "./tenant-rows.ts";
import { tokenRows } from "./token-rows.ts";
import { toolRows } from "./tool-rows.ts";
import { trustRows } from "./trust-rows.ts";
import { whyRows } from "./why-rows.ts";
import { workflowRows } from "./workflow-rows.ts";
import { workspaceRows } from "./workspace-rows.ts";

/** What stands above commands of two words. */
export const nouns: Readonly<Record<string, string>> = {
  agent: "List the named agents.",
  audit: "Verify the audit trail, and list what people did.",
  config: "Show and check the configuration of the daemon.",
  ctx: "Ingest and ask collections; show and compact the context of agents.",
  fleet: "Run replicas of an agent on a queue, scale them, and roll out new versions.",
  fs: "List, read, find and write files of the tree that agents see.",
  goal: "List, show, follow, retry and end goals.",
  notify: "List and test who is told of what, and what was sent.",
  plan: "Show the plans of goals.",
  role: "List, show, check and write roles.",
  caps: "Show, grant and revoke capabilities.",
  policy: "Check, test, show and reload the policy.",
  mcp: "Add, inspect and remove MCP servers.",
  msg: "Send, follow and redrive messages; topics and their schemas.",
  mem: "Search and read the memory of agents.",
  model: "List, test and add models and providers.",
  schedule: "Start runs of agents by themselves: on a calendar or at intervals.",
  secret: "Store secrets that agents use by name.",
  service: "Run the daemon as a service of systemd or launchd.",
  skill: "List and check skills.",
  tenant: "Create tenants, show their spending, and set their ceilings.",
  token: "Create and revoke tokens for the HTTP API.",
  tool: "List, search and call tools.",
  workflow: "List, show, signal and query workflows.",
};

/** What the first page of the help ends with. */
export const firstExamples: readonly string[] = [
  "aos init hello my-agent",
  "aos run my-agent 'Good morning'",
  "aos ps -a",
  "aos help run",
];

export const commands: readonly CommandRow[] = [
  ...processRows,
  ...scheduleRows,
  ...fleetRows,
  ...notifyRows,
  ...whyRows,
  ...setupRows,
  ...configRows,
  ...queueRows,
  ...evalRows,
  ...goalRows,
  ...workflowRows,
  ...costRows,
  ...approvalRows,
  ...capsRows,
  ...policyRows,
  ...secretRows,
  ...tokenRows,
  ...trustRows,
  ...skillRows,
  ...modelRows,
  ...toolRows,
  ...testRows,
  ...contextRows,
  ...memoryRows,
  ...fileRows,
  ...messageRows,
  ...tenantRows,
  ...mcpRows,
  ...workspaceRows,
  {
    usage: "audit verify",
    summary: operationHelp.verify.summary,
    examples: ["aos audit verify", "aos audit verify -o json"],
    names: "findings.pid",
    startsDaemon: true,
    load: () => import("./commands/audit-verify.ts"),
  },
  {
    usage: "audit ledger",
    summary: operationHelp.ledger.summary,
    description: "Shows answers, grants, revocations, policy reloads and changes of secrets.",
    options: [["-n, --limit <count>", operationHelp.ledger.args.limit]],
    examples: ["aos audit ledger", "aos audit ledger -n 20 -o json"],
    names: "at",
    startsDaemon: true,
    load: () => import("./commands/audit-ledger.ts"),
  },
  {
    usage: "doctor",
    summary: operationHelp.doctor.summary,
    description:
      "Names what is missing (programs, providers, keys, the sandbox) with the line that installs it. The exit code is 1 when a check fails that is not optional, when --fix leaves something missing, or when an attack succeeds.",
    options: [
      ["--fix", "install missing programs with the package manager of this machine"],
      ["--attack", "run the built-in attacks against the live configuration"],
      ["--only <names>", "with --attack: only these groups and attacks, e.g. F,H3"],
      ["--verbose", "with --attack: also print the attacks that were stopped"],
    ],
    examples: [
      "aos doctor",
      "aos doctor --fix",
      "aos doctor -o json",
      "aos doctor --attack --only F,H3 --verbose",
    ],
    names: "checks.name",
    startsDaemon: true,
    load: () => import("./commands/doctor.ts"),
  },
  ...serviceRows,
  ...storeRows,
  ...backupRows,
  ...archiveRows,
  {
    usage: "gc",
    summary: operationHelp.collect.summary,
    options: [["--dry-run", operationHelp.collect.args.dryRun]],
    examples: ["aos gc --dry-run"],
    startsDaemon: true,
    load: () => import("./commands/gc.ts"),
  },
  {
    usage: "version",
    summary: "Print the version.",
    examples: ["aos version", "aos version -o json"],
    names: "version",
    startsDaemon: false,
    load: () => import("./commands/version.ts"),
  },
];
