// Rows about MCP servers: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const mcpRows: readonly CommandRow[] = [
  {
    usage: "mcp add <name> [command...]",
    summary: "Declare an MCP server for everyone, and look at its tools.",
    description:
      "COMMAND stands after --, or --url says where it is. A command runs in the sandbox: it sees its own program and the paths that you name, and has no network beside the hosts that you name. What its tools say now is agreed to: look at the list. Later changes wait for `aos mcp pin`.",
    options: [
      ["--url <url>", "a server over HTTP"],
      ["--env <name=value...>", "a variable of its environment; $NAME is a secret (repeatable)"],
      ["--header <name=value...>", "a header that it is sent; $NAME is a secret (repeatable)"],
      [
        "--path <path...>",
        "something of the machine that it sees; :rw at the end to write (repeatable)",
      ],
      ["--host <host...>", "a host that it may reach, with its port if it is not 443 (repeatable)"],
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
    summary: "List the MCP servers that are declared, and how they are.",
    description: "Those of $AOS_HOME/mcp.yaml, and of this folder's project (.agents/mcp.yaml).",
    examples: ["aos mcp ls", "aos mcp ls -o json"],
    startsDaemon: true,
    load: () => import("./commands/mcp-ls.ts"),
  },
  {
    usage: "mcp show <name>",
    summary: "Show one MCP server: its tools, and what they said before and say now.",
    examples: ["aos mcp show docs"],
    startsDaemon: true,
    load: () => import("./commands/mcp-show.ts"),
  },
  {
    usage: "mcp test <name>",
    summary: "Connect to an MCP server, step by step, and say how it went.",
    description: "The exit code is 1 when a step failed.",
    examples: ["aos mcp test docs", "aos mcp test docs -o json"],
    startsDaemon: true,
    load: () => import("./commands/mcp-test.ts"),
  },
  {
    usage: "mcp pin <name>",
    summary: "Agree to what the tools of an MCP server say now.",
    description:
      "A tool whose description or schema changed, and one that is new, cannot be called until you do.",
    examples: ["aos mcp show docs && aos mcp pin docs"],
    startsDaemon: true,
    load: () => import("./commands/mcp-pin.ts"),
  },
  {
    usage: "mcp rm <name>",
    summary: "Forget an MCP server of $AOS_HOME/mcp.yaml, and what was agreed to.",
    examples: ["aos mcp rm docs"],
    startsDaemon: true,
    load: () => import("./commands/mcp-rm.ts"),
  },
  {
    usage: "mcp serve",
    summary:
      "Be an MCP server on standard input and output, for a program that starts its servers.",
    description:
      "What it offers is the daemon's: submit_goal, get_agent_status, cancel_agent, approvals, memory. AOS_URL and AOS_TOKEN make it one of a daemon elsewhere.",
    examples: [
      "claude mcp add agent-os -- aos mcp serve",
      "AOS_URL=https://agents.example.com AOS_TOKEN=aost_... aos mcp serve",
    ],
    startsDaemon: true,
    load: () => import("./commands/mcp-serve.ts"),
  },
];
