// Rows about agents and skills: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const skillRows: readonly CommandRow[] = [
  {
    usage: "agent ls",
    summary: operationHelp.agents.summary,
    description:
      "Lists the manifests of this project (.agents/agents) and of the home (agents). `aos run` also takes a file or a folder.",
    examples: ["aos agent ls", "aos agent ls -o name"],
    startsDaemon: true,
    load: () => import("./commands/agent-ls.ts"),
  },
  {
    usage: "skill ls",
    summary: operationHelp.skills.summary,
    description:
      "Lists the skills of this project (.agents/skills), of the home (skills) and of the system. On a name clash, the nearer one wins.",
    examples: ["aos skill ls", "aos skill ls -o json"],
    startsDaemon: true,
    load: () => import("./commands/skill-ls.ts"),
  },
  {
    usage: "skill show <name>",
    summary: operationHelp.skill.summary,
    examples: ["aos skill show review-change"],
    startsDaemon: true,
    load: () => import("./commands/skill-show.ts"),
  },
  {
    usage: "skill check <folder>",
    summary: operationHelp.checkSkill.summary,
    description: "The exit code is 2 if it has problems.",
    examples: ["aos skill check .agents/skills/release", "aos skill check . -o json"],
    startsDaemon: true,
    load: () => import("./commands/skill-check.ts"),
  },
];
