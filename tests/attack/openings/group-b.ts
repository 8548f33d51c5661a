// What lets the attacks of group B (links) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsB: Readonly<Record<string, Opening>> = {
  B1: {
    lines: [
      {
        file: "drivers/src/tools/file/open-checked.ts",
        line: 'gate.authorize({ kind: "file", resource: real, verb });',
        becomes: "",
      },
    ],
  },
  B2: { configured: ["wide-grants"] },
  B3: { configured: ["wide-grants"] },
  B4: {
    lines: [
      {
        file: "drivers/src/tools/file/open-checked.ts",
        line: "if (stats.nlink > 1) throw hardLinked(path);",
        becomes: "",
      },
    ],
  },
  B5: {
    lines: [
      {
        file: "drivers/src/tools/file/open-checked.ts",
        line: 'gate.authorize({ kind: "file", resource: real, verb });',
        becomes: "",
      },
    ],
  },
  B6: { configured: ["wide-grants"] },
  B7: { configured: ["wide-grants"] },
  B8: { configured: ["wide-grants"] },
  B9: {
    lines: [
      {
        file: "drivers/src/tools/file/open-checked.ts",
        line: "if (stats.nlink > 1) throw hardLinked(path);",
        becomes: "",
      },
    ],
  },
  B10: {
    lines: [
      {
        file: "drivers/src/tools/file/platform.ts",
        line: "const MAKING = constants.O_CREAT | constants.O_EXCL;",
        becomes: "const MAKING = constants.O_CREAT;",
      },
    ],
  },
  B11: { configured: ["wide-grants"] },
  B12: {
    lines: [
      {
        file: "drivers/src/tools/file/open-checked.ts",
        line: "if (!stats.isFile()) throw notRegular(path);",
        becomes: "",
      },
    ],
  },
  B13: {
    lines: [
      {
        file: "drivers/src/tools/file/open-checked.ts",
        line: 'gate.authorize({ kind: "file", resource: real, verb });',
        becomes: "",
      },
    ],
  },
  B14: {
    lines: [
      {
        file: "drivers/src/tools/file/open-checked.ts",
        line: 'gate.authorize({ kind: "file", resource: real, verb });',
        becomes: "",
      },
    ],
  },
};
