// Client resolution: lets a program in its own process import `agent-os/sdk` and `agent-os/protocol`, wherever its
// file is. Node loads this module first (--import). A copy installed in the program's own project takes precedence.

import { existsSync } from "node:fs";
import { registerHooks } from "node:module";

/** JavaScript in the package, TypeScript in the repository. */
const moduleAt = (path) =>
  [`${path}.js`, `${path}.ts`]
    .map((name) => new URL(name, import.meta.url))
    .find((url) => existsSync(url))?.href;

const OURS = {
  "agent-os/sdk": moduleAt("./index"),
  "agent-os/protocol": moduleAt("../../protocol/src/index"),
};

registerHooks({
  resolve(name, context, next) {
    if (!Object.hasOwn(OURS, name)) return next(name, context);
    try {
      return next(name, context);
    } catch (error) {
      if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
      return { url: OURS[name], shortCircuit: true };
    }
  },
});
