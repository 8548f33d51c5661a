// Rows about tools, MCP servers, skills and workspaces: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const toolRows: readonly CommandRow[] = [
  {
    usage: "tool ls [words...]",
    summary: "List the tools that there are, or those that fit words, the best first.",
    description:
      "Those of the system, of this folder's project (.agents/tools, .agents/mcp.yaml) and of MCP servers. Words are looked for in names, tags and what the descriptions mean.",
    examples: ["aos tool ls", "aos tool ls 'convert a document'", "aos tool ls -o json"],
    startsDaemon: true,
    load: () => import("./commands/tool-ls.ts"),
  },
  {
    usage: "tool show <name>",
    summary: "Show one tool in full: its arguments, what it needs, how it has done.",
    examples: ["aos tool show file.edit", "aos tool show shell.execute -o json"],
    startsDaemon: true,
    load: () => import("./commands/tool-show.ts"),
  },
  {
    usage: "tool call <name> [args]",
    summary: "Call a tool once, through the gate, and print its result.",
    description:
      "ARGS is JSON, @FILE, or - for standard input. It runs as a process of its own that may touch what this call touches and nothing else; the policy rules it like any other.",
    options: [
      ["--dir <folder>", "what /work is; without it the workspace is empty"],
      ["--cow", "a copy of that folder (or of this one)"],
      [
        "-c, --cap <capability...>",
        "all that it may do, in place of what the call touches (repeatable)",
      ],
      ["-t, --timeout <duration>", "at most so long, e.g. 30s"],
    ],
    examples: [
      `aos tool call file.read '{"path": "/work/README.md"}' --dir .`,
      `aos tool call shell.execute '{"command": "ls -l"}' --dir . -c 'file:/work/**:read'`,
    ],
    startsDaemon: true,
    load: () => import("./commands/tool-call.ts"),
  },
];
