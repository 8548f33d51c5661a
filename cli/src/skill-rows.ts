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
  {
    usage: "skill draft <pid>",
    summary: operationHelp.draftSkill.summary,
    description:
      "The run has to be completed, and its last call a success. Rules take goal, steps, tools and pitfalls from its journal; with --model a model words them, within --usd. No agent is offered a draft.",
    options: [
      ["--name <name>", operationHelp.draftSkill.args.name],
      ["--model <model>", operationHelp.draftSkill.args.model],
      ["--usd <amount>", operationHelp.draftSkill.args.usd],
    ],
    examples: ["aos skill draft @last", "aos skill draft @last --name deploy-shop"],
    startsDaemon: true,
    load: () => import("./commands/skill-draft.ts"),
  },
  {
    usage: "skill drafts [name]",
    summary: operationHelp.skillDrafts.summary,
    description: "With a name: the draft, its run, label and digest.",
    examples: ["aos skill drafts", "aos skill drafts deploy-shop"],
    startsDaemon: true,
    load: () => import("./commands/skill-drafts.ts"),
  },
  {
    usage: "skill approve <name>",
    summary: operationHelp.approveSkillDraft.summary,
    description:
      "At a terminal it shows the draft and asks. Elsewhere read it before (aos skill drafts NAME). A draft of a run that had read untrusted data (RED) needs the digest of what was read.",
    options: [
      ["--digest <digest>", operationHelp.approveSkillDraft.args.digest],
      ["--yes", "do not ask; a RED draft needs --digest"],
    ],
    examples: ["aos skill approve deploy-shop"],
    startsDaemon: true,
    load: () => import("./commands/skill-approve.ts"),
  },
  {
    usage: "skill reject <name>",
    summary: operationHelp.rejectSkillDraft.summary,
    examples: ["aos skill reject deploy-shop"],
    startsDaemon: true,
    load: () => import("./commands/skill-reject.ts"),
  },
];
