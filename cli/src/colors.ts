// Colours, on a terminal only. A pipe gets none, whatever the environment says (CI).

import picocolors from "picocolors";

const isPlain = process.env["NO_COLOR"] !== undefined || process.env["TERM"] === "dumb";

export const colors = picocolors.createColors(
  process.getBuiltinModule("node:tty").isatty(1) && !isPlain,
);
