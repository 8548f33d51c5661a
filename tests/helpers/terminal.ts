// Terminal: a real one (tmux), for what only shows itself to a person who types.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export const noTmux = await run("tmux", ["-V"]).then(
  () => false as const,
  () => "tmux is not installed",
);

export interface Terminal {
  /** Text as it is typed, or the name of a key: `Enter`, `C-c`. */
  readonly press: (...keys: string[]) => Promise<unknown>;
  /** The screen, once it shows this. */
  readonly sees: (words: string | RegExp) => Promise<string>;
  readonly close: () => Promise<unknown>;
}

export interface TerminalOptions {
  /** Where its socket is. */
  readonly socket: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const { socket, env, columns = 140, rows = 40 } = options;
  const tmux = async (...words: string[]) => (await run("tmux", ["-S", socket, ...words])).stdout;
  const given = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const size = ["-x", String(columns), "-y", String(rows)];
  await tmux("new-session", "-d", "-s", "one", ...size, ...given, "sh");
  return {
    press: (...keys) => tmux("send-keys", "-t", "one", ...keys),
    close: () => tmux("kill-server"),
    async sees(words) {
      for (let i = 0; ; i++) {
        const screen = await tmux("capture-pane", "-p", "-t", "one");
        if (screen.match(words) !== null) return screen;
        if (i > 2000) throw new Error(`never seen: ${String(words)}\n${screen}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
  };
}
