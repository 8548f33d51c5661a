// Rows about agents and skills: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const skillRows: readonly CommandRow[] = [
  {
    usage: "agent ls",
    summary: "List the agents that can be started by their names here.",
    description:
      "Manifests of this folder's project (.agents/agents) and of the home (agents). `aos run` takes a file or a folder as well.",
    examples: ["aos agent ls", "aos agent ls -o name"],
    startsDaemon: true,
    load: () => import("./commands/agent-ls.ts"),
  },
  {
    usage: "skill ls",
    summary:
      "List the skills that there are here, and what is wrong with those that are not offered.",
    description:
      "Those of this folder's project (.agents/skills), of the home (skills) and of the system. Of two with one name the nearer counts.",
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
    summary: "Hold a skill's folder against the AgentSkills specification.",
    description: "The exit code is 2 when something is wrong with it.",
    examples: ["aos skill check .agents/skills/release", "aos skill check . -o json"],
    startsDaemon: true,
    load: () => import("./commands/skill-check.ts"),
  },
];
