// Navigation: the views that are always one step away. A view is a row.

export interface NavigationEntry {
  readonly to: "/" | "/approvals";
  readonly name: string;
  /** Of what it says how many there are. */
  readonly counts?: "questions";
}

export const navigationEntries: readonly NavigationEntry[] = [
  { to: "/", name: "Runs" },
  { to: "/approvals", name: "Approvals", counts: "questions" },
];
