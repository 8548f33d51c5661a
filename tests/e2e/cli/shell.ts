// A shell at a terminal of its own, in which keys are pressed.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { AOS } from "../home.ts";

export const isInstalled = (shell: string): boolean =>
  spawnSync(shell, ["-c", "exit 0"], { stdio: "ignore" }).status === 0;

interface Typed {
  /** What the line is after these keys; the line is emptied then. */
  line(keys: string): Promise<string>;
  close(): void;
}

const startups = {
  bash: {
    words: ["bash", "--norc", "--noprofile", "-i"],
    lines: (file: string) => [
      "source <(aos completion bash)",
      `tell() { printf '%s\\n' "$READLINE_LINE" >> ${file}; READLINE_LINE=; READLINE_POINT=0; }`,
      `bind -x '"\\C-t": tell'`,
      "bind 'set bell-style none'",
    ],
  },
  zsh: {
    words: ["zsh", "-f", "-i"],
    lines: (file: string) => [
      "autoload -U compinit && compinit -D -u",
      "source <(aos completion zsh)",
      `tell() { print -r -- "$BUFFER" >> ${file}; BUFFER= }`,
      "zle -N tell && bindkey '^T' tell",
    ],
  },
} as const;

const READY = "ready\n";
const TELL = "\u0014";

export async function openShell(
  shell: keyof typeof startups,
  { folder, env }: { folder: string; env: Record<string, string | undefined> },
): Promise<Typed> {
  const { words, lines } = startups[shell];
  const told = join(folder, `${shell}.lines`);
  const rc = join(folder, `${shell}.start`);
  writeFileSync(rc, [...lines(told), `printf 'ready\\n' > ${told}`, ""].join("\n"));
  const child = spawn("script", ["-qec", words.join(" "), "/dev/null"], {
    cwd: folder,
    env: { ...env, TERM: "xterm", PATH: [dirname(AOS), env["PATH"]].join(delimiter) },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.write(`. ${rc}\n`);
  const text = () => (existsSync(told) ? readFileSync(told, "utf8") : "");
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await until(() => text() === READY);
  return {
    async line(keys) {
      const before = text();
      // Keys wait in the terminal while the shell asks aos.
      child.stdin.write(keys + TELL);
      await until(() => text().length > before.length && text().endsWith("\n"));
      return text().slice(before.length, -1);
    },
    close: () => void child.kill("SIGKILL"),
  };
}
