// Help groups: the commands of the first help page, under what people want to do.
//
// HELP-GROUPS-1  Every command and noun is in exactly one group.

export interface HelpGroup {
  readonly title: string;
  /** The first words of commands, in the order in which they are shown. */
  readonly commands: readonly string[];
}

export const helpGroups: readonly HelpGroup[] = [
  {
    title: "Start here",
    commands: ["up", "down", "status", "init", "configure", "connect", "doctor"],
  },
  {
    title: "Run agents",
    commands: ["run", "chat", "attach", "spawn", "send", "invoke", "pipe", "wait"],
  },
  {
    title: "Plan and repeat work",
    commands: ["submit", "goal", "plan", "role", "workflow", "schedule", "fleet", "test", "eval"],
  },
  {
    title: "See what agents do",
    commands: ["ps", "top", "show", "logs", "why", "search", "cost", "diff", "manifest"],
  },
  {
    title: "Answer and control",
    commands: [
      "approvals",
      "approve",
      "deny",
      "pause",
      "resume",
      "stop",
      "kill",
      "signal",
      "nice",
      "notify",
    ],
  },
  {
    title: "Go back in time",
    commands: ["replay", "fork", "retry", "debug", "undo", "commit"],
  },
  {
    title: "Limit what agents may do",
    commands: ["trust", "caps", "policy", "secret", "audit"],
  },
  {
    title: "Give agents models, tools and knowledge",
    commands: ["agent", "model", "tool", "mcp", "skill", "mem", "ctx", "fs", "msg"],
  },
  {
    title: "Operate the daemon",
    commands: [
      "config",
      "token",
      "tenant",
      "service",
      "store",
      "backup",
      "restore",
      "migrate",
      "export",
      "import",
      "archive",
      "gc",
      "completion",
      "version",
    ],
  },
];
