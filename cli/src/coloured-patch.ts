// Coloured patch: a unified diff for a terminal.

import { colors } from "./colors.ts";

export const colouredPatch = (patch: string): string =>
  patch
    .split("\n")
    .map((line) => {
      if (line.startsWith("+")) return colors.green(line);
      if (line.startsWith("-")) return colors.red(line);
      return line.startsWith("diff ") ? colors.bold(line) : line;
    })
    .join("\n");
