// Colours, for a person at a terminal. A pipe gets none, whatever the environment says of itself (CI).

import { isatty } from "node:tty";
import picocolors from "picocolors";

const isPlain = process.env["NO_COLOR"] !== undefined || process.env["TERM"] === "dumb";

export const colors = picocolors.createColors(isatty(1) && !isPlain);
