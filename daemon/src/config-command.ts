// Answers questions about the configuration without starting a daemon: prints one JSON value and ends. `aos config`
// uses it when no daemon is running.
//
//   node daemon/src/main.ts --show-config          the settings of a daemon that would be started
//   node daemon/src/main.ts --check-config=FILE    {"ok": true}; or {"error": …} and its exit code

import { failures, SysError } from "@aos/protocol";
import { resolve } from "node:path";
import { checkConfigText } from "./config.ts";
import { configAtStart } from "./config-report.ts";
import type { Environment } from "./config-overrides.ts";
import { configText } from "./config-text.ts";
import { homeOf } from "./home.ts";

const CHECK = "--check-config=";

/** The exit code. */
export function runConfigCommand(words: readonly string[], env: Environment): number {
  try {
    const asked = words.find((word) => word.startsWith(CHECK));
    const answer =
      asked === undefined
        ? configAtStart({ home: homeOf(env), env, flags: words })
        : checked(resolve(asked.slice(CHECK.length)));
    process.stdout.write(`${JSON.stringify(answer)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    process.stdout.write(`${JSON.stringify({ error: error.toText() })}\n`);
    return failures[error.code].exit;
  }
}

function checked(file: string) {
  const text = configText(file, { mustBeThere: true });
  checkConfigText(text, file);
  return { ok: true, file };
}
