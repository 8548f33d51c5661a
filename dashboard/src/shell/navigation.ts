// Navigation: the views that are always one step away. A view is a row.

export interface Place {
  readonly to: "/" | "/approvals";
  readonly name: string;
  /** Of what it says how many there are. */
  readonly counts?: "questions";
}

export const places: readonly Place[] = [
  { to: "/", name: "Runs" },
  { to: "/approvals", name: "Approvals", counts: "questions" },
];
