// Rows about MCP servers: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const mcpRows: readonly CommandRow[] = [
  {
    usage: "mcp add <name> [command...]",
    summary: operationHelp.addMcpServer.summary,
    description:
      "Put COMMAND after --, or name the server with --url. A command runs in the sandbox: it can read its own program and the named paths, and reach only the named hosts. The present descriptions of its tools are pinned: review the list. A tool that changes later is disabled until `aos mcp pin`.",
    options: [
      ["--url <url>", operationHelp.addMcpServer.args.url],
      ["--env <name=value...>", "an environment variable; $NAME is a secret (repeatable)"],
      ["--header <name=value...>", "a request header; $NAME is a secret (repeatable)"],
      [
        "--path <path...>",
        "a path that the server may read; append :rw to allow writing (repeatable)",
      ],
      [
        "--host <host...>",
        "a host that the server may reach, with its port unless it is 443 (repeatable)",
      ],
    ],
    examples: [
      "aos mcp add docs --path /srv/docs -- mcp-server-filesystem /srv/docs",
      "aos mcp add tracker --url https://mcp.example.com/mcp --header 'authorization=$TRACKER'",
    ],
    startsDaemon: true,
    load: () => import("./commands/mcp-add.ts"),
  },
  {
    usage: "mcp ls",
    summary: operationHelp.mcpServers.summary,
    description: "Lists the servers of $AOS_HOME/mcp.yaml and of this project (.agents/mcp.yaml).",
    examples: ["aos mcp ls", "aos mcp ls -o json"],
    startsDaemon: true,
    load: () => import("./commands/mcp-ls.ts"),
  },
  {
    usage: "mcp show <name>",
    summary: "Show an MCP server: its tools, and how their descriptions changed.",
    examples: ["aos mcp show docs"],
    startsDaemon: true,
    load: () => import("./commands/mcp-show.ts"),
  },
  {
    usage: "mcp test <name>",
    summary: operationHelp.testMcpServer.summary,
    description: "The exit code is 1 when a step failed.",
    examples: ["aos mcp test docs", "aos mcp test docs -o json"],
    startsDaemon: true,
    load: () => import("./commands/mcp-test.ts"),
  },
  {
    usage: "mcp pin <name>",
    summary: operationHelp.pinMcpServer.summary,
    description:
      "A new tool, or one whose description or schema changed, is disabled until you pin it.",
    examples: ["aos mcp show docs && aos mcp pin docs"],
    startsDaemon: true,
    load: () => import("./commands/mcp-pin.ts"),
  },
  {
    usage: "mcp rm <name>",
    summary: operationHelp.removeMcpServer.summary,
    examples: ["aos mcp rm docs"],
    startsDaemon: true,
    load: () => import("./commands/mcp-rm.ts"),
  },
  {
    usage: "mcp serve",
    summary:
      "Run as an MCP server on standard input and output, for clients that start their servers.",
    description:
      "It offers the tools of the daemon: submit_goal, get_agent_status, cancel_agent, approvals, memory. Set AOS_URL and AOS_TOKEN to use a remote daemon.",
    examples: [
      "claude mcp add agent-os -- aos mcp serve",
      "AOS_URL=https://agents.example.com AOS_TOKEN=aost_... aos mcp serve",
    ],
    startsDaemon: true,
    load: () => import("./commands/mcp-serve.ts"),
  },
];
