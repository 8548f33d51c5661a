// What lets the attacks of group M (sandbox escapes) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsM: Readonly<Record<string, Opening>> = {
  M1: { configured: ["no-sandbox"] },
  M2: { configured: ["no-sandbox"] },
  M3: { configured: ["no-sandbox"] },
  M4: { configured: ["no-sandbox"] },
  M5: { configured: ["no-sandbox"] },
  M6: { configured: ["no-sandbox"] },
  M7: { configured: ["no-sandbox"] },
  M8: { configured: ["no-sandbox"] },
  M9: { configured: ["no-sandbox"] },
  M10: { configured: ["no-sandbox"] },
  M11: { configured: ["no-sandbox"] },
  M12: { configured: ["no-sandbox"] },
  M13: {
    configured: ["obedient-person"],
    lines: [
      {
        file: "drivers/src/tools/program-runner.ts",
        line: "for (const label of sight.labels) context.sees(label); // PROGRAM-RUNNER-7",
        becomes: "",
      },
    ],
  },
  M14: {
    configured: ["obedient-person"],
    lines: [
      {
        file: "drivers/src/workspace/visible-files.ts",
        line: 'else if (kind === "file") this.masked.push(place);',
        becomes: "",
      },
    ],
  },
  M15: {
    configured: ["obedient-person"],
    lines: [
      {
        file: "drivers/src/tools/program-runner.ts",
        line: 'if (mode === "write") await context.mayWriteBelow(at);',
        becomes: "if (at === mode) break;",
      },
    ],
  },
  M16: {
    configured: ["obedient-person"],
    lines: [
      {
        file: "drivers/src/workspace/commit.ts",
        line: "await carryMarks(committing, held, changes);",
        becomes: "",
      },
    ],
  },
};
