// Rows about agents and skills: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const skillRows: readonly CommandRow[] = [
  {
    usage: "agent ls",
    summary: "List the agents that can be started by name here.",
    description:
      "Lists the manifests of this project (.agents/agents) and of the home (agents). `aos run` also takes a file or a folder.",
    examples: ["aos agent ls", "aos agent ls -o name"],
    startsDaemon: true,
    load: () => import("./commands/agent-ls.ts"),
  },
  {
    usage: "skill ls",
    summary: "List the skills, and the problems of those that are not offered.",
    description:
      "Lists the skills of this project (.agents/skills), of the home (skills) and of the system. On a name clash, the nearer one wins.",
    examples: ["aos skill ls", "aos skill ls -o json"],
    startsDaemon: true,
    load: () => import("./commands/skill-ls.ts"),
  },
  {
    usage: "skill show <name>",
    summary: "Show one skill in full: its instructions, its files, the tools that it allows.",
    examples: ["aos skill show review-change"],
    startsDaemon: true,
    load: () => import("./commands/skill-show.ts"),
  },
  {
    usage: "skill check <folder>",
    summary: "Check a skill folder against the AgentSkills specification.",
    description: "The exit code is 2 if it has problems.",
    examples: ["aos skill check .agents/skills/release", "aos skill check . -o json"],
    startsDaemon: true,
    load: () => import("./commands/skill-check.ts"),
  },
];
