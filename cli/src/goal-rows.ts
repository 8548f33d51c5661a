// Rows about goals, plans and roles: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const goalRows: readonly CommandRow[] = [
  {
    usage: "goal ls",
    summary: operationHelp.goals.summary,
    options: [["-n, --limit <count>", operationHelp.goals.args.limit]],
    examples: ["aos goal ls", "aos goal ls -o json"],
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/goal-ls.ts"),
  },
  {
    usage: "goal show <pid>",
    summary: operationHelp.goal.summary,
    examples: ["aos goal show @last", "aos goal show agt_01kx -o json"],
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/goal-show.ts"),
  },
  {
    usage: "goal watch <pid>",
    summary: operationHelp.watchGoal.summary,
    examples: ["aos goal watch @last", "aos goal watch agt_01kx -o json"],
    startsDaemon: true,
    load: () => import("./commands/goal-watch.ts"),
  },
  {
    usage: "goal cancel <pid...>",
    summary: "End goals, with all of their subtasks.",
    examples: ["aos goal cancel @last"],
    startsDaemon: true,
    load: () => import("./commands/goal-cancel.ts"),
  },
  {
    usage: "goal retry <pid>",
    summary: operationHelp.retryGoal.summary,
    description:
      "Finished subtasks are kept, with the workspace; the rest is done in a new process. Roles are those of the first start.",
    options: [
      ["--from <step...>", "do this subtask again, and all that depends on it (repeatable)"],
      ["--skip <step...>", "take this subtask as done, without a result (repeatable)"],
      ["--replan", operationHelp.retryGoal.args.replan],
    ],
    examples: [
      "aos goal retry @last",
      "aos goal retry agt_01kx --from 7",
      "aos goal retry @last --skip 7",
    ],
    startsDaemon: true,
    load: () => import("./commands/goal-retry.ts"),
  },
  {
    usage: "goal prioritize <pid> <lane>",
    summary: "Set the lane of a goal and of its subtasks.",
    examples: ["aos goal prioritize @last high"],
    startsDaemon: true,
    load: () => import("./commands/nice.ts"),
  },
  {
    usage: "plan show <pid>",
    summary: "Show the plan of a goal, as YAML.",
    description: "`aos submit GOAL --plan-file FILE` takes it as it is printed.",
    examples: ["aos plan show @last > plan.yaml", "aos plan show agt_01kx -o json"],
    startsDaemon: true,
    load: () => import("./commands/plan-show.ts"),
  },
  {
    usage: "role ls",
    summary: operationHelp.roles.summary,
    description:
      "Roles of the home (roles), of the system, and of this project (.agents/roles) once it is trusted. On a name clash the home wins, then the system.",
    examples: ["aos role ls", "aos role ls -o name"],
    startsDaemon: true,
    load: () => import("./commands/role-ls.ts"),
  },
  {
    usage: "role show <name>",
    summary: operationHelp.role.summary,
    examples: ["aos role show writer", "aos role show writer -o json"],
    startsDaemon: true,
    load: () => import("./commands/role-show.ts"),
  },
  {
    usage: "role validate <file>",
    summary: operationHelp.checkRole.summary,
    description: "The exit code is 2 if it has problems; each is printed with its line.",
    examples: ["aos role validate roles/writer.yaml"],
    startsDaemon: true,
    load: () => import("./commands/role-validate.ts"),
  },
  {
    usage: "role new <name>",
    summary: "Write a role file to start from: NAME.yaml in .agents/roles, or in the home.",
    options: [["--home", "in the home, for all projects"]],
    examples: ["aos role new summarizer", "aos role new summarizer --home"],
    startsDaemon: false,
    load: () => import("./commands/role-new.ts"),
  },
];
