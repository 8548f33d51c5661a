// summaryWith: the summary of an operation with an addition for the command line.
//
//   summaryWith("Fork a process.", "prints the new pid")   "Fork a process; prints the new pid."

export const summaryWith = (summary: string, clause: string): string =>
  `${summary.replace(/\.$/, "")}; ${clause}.`;
