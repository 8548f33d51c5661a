// Navigation: the views that are always one step away, in groups. A view is a row.

export interface NavigationEntry {
  readonly to: NavigationPath;
  readonly name: string;
  /** Of what it says how many there are. */
  readonly counts?: "questions";
  /** Words that it is found by, beside its name. */
  readonly words?: string;
}

type NavigationPath =
  | "/"
  | "/approvals"
  | "/runs"
  | "/goals"
  | "/agents"
  | "/memory"
  | "/messages"
  | "/policy"
  | "/access"
  | "/cost"
  | "/models"
  | "/tools"
  | "/audit"
  | "/system";

export interface NavigationGroup {
  readonly name: string;
  readonly entries: readonly NavigationEntry[];
}

export const navigationGroups: readonly NavigationGroup[] = [
  {
    name: "Now",
    entries: [
      { to: "/", name: "Overview", words: "home start" },
      { to: "/approvals", name: "Approvals", counts: "questions", words: "questions inbox" },
      { to: "/runs", name: "Runs", words: "processes ps" },
      { to: "/goals", name: "Goals", words: "plan submit" },
    ],
  },
  {
    name: "Agents",
    entries: [
      { to: "/agents", name: "Agents" },
      { to: "/memory", name: "Memory", words: "facts episodes search" },
      { to: "/messages", name: "Messages", words: "topics dead letters mailbox" },
    ],
  },
  {
    name: "Control",
    entries: [
      { to: "/policy", name: "Policy", words: "rules backtest" },
      { to: "/access", name: "Access", words: "capabilities grants power who may" },
      { to: "/cost", name: "Cost", words: "budgets spending money tokens" },
      { to: "/models", name: "Models", words: "providers slots" },
      { to: "/tools", name: "Tools", words: "mcp skills" },
    ],
  },
  {
    name: "System",
    entries: [
      { to: "/audit", name: "Audit", words: "verify ledger" },
      { to: "/system", name: "System", words: "doctor sandbox tenants queue version" },
    ],
  },
];
