// summaryWith: an operation's summary, and what the command line adds to it.
//
//   summaryWith("Fork a process.", "prints the new pid")   "Fork a process; prints the new pid."

export const summaryWith = (summary: string, clause: string): string =>
  `${summary.replace(/\.$/, "")}; ${clause}.`;
