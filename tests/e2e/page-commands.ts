// PageCommands: what a page of the documentation says to type, and what it says is printed.
//
// PAGE-COMMANDS-1  A block ```sh is typed line by line, each in a shell of its own, at the top of the
//     repository; of a block ```console what follows a $. Left out is what would begin by installing.
// PAGE-COMMANDS-2  Each line of the block without a name after it, or that follows a $ line, stands in
//     what was printed; … is anything, and blanks are as many as there are.
// PAGE-COMMANDS-4  A block that names a file (```yaml file=desk/agent.yaml) is written there.
// PAGE-COMMANDS-3  A person who reads takes seconds: the next line is typed when no agent is at work any
//     more.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { expect } from "vitest";
import { liveStates } from "@aos/protocol";
import { clientOver } from "../../scripts/start/over-socket.ts";
import { ROOT, type TestHome } from "./home.ts";

interface Step {
  readonly commands: readonly string[];
  readonly printed: readonly string[];
  readonly file?: { readonly path: string; readonly text: string } | undefined;
}

interface Reader {
  /** Where the reader stands: the top of the repository if not given. */
  readonly cwd?: string;
  /** What is here called otherwise than on the page: the address of a server. */
  readonly replace?: readonly (readonly [onPage: string, here: string])[];
}

export function stepsOf(page: string): readonly Step[] {
  const steps: { commands: string[]; printed: string[]; file?: Step["file"] }[] = [];
  for (const [, name = "", path, body = ""] of readFileSync(page, "utf8").matchAll(BLOCK)) {
    const lines = body.split("\n").filter((line) => line.trim() !== "");
    if (path !== undefined) steps.push({ commands: [], printed: [], file: { path, text: body } });
    else if (name === "sh") steps.push({ commands: lines, printed: [] });
    else if (name === "") steps.at(-1)?.printed.push(...lines);
    else if (name === "console") {
      for (const line of lines)
        if (line.startsWith("$ ")) steps.push({ commands: [line.slice(2)], printed: [] });
        else steps.at(-1)?.printed.push(line);
    }
  }
  return steps.filter(({ commands }) => !commands.some((line) => line.startsWith("npm install")));
}

const BLOCK = /^```(\w*)(?: file=(\S+))?\n(.*?)^```$/gms;

/** Types all that a page says, and holds what is printed against it. */
export async function typeOut(
  page: string,
  home: TestHome,
  { cwd = ROOT, replace = [] }: Reader = {},
): Promise<void> {
  const env = { PATH: quickPath(home) };
  const here = (text: string) =>
    replace.reduce((said, [onPage, instead]) => said.replaceAll(onPage, instead), text);
  for (const { commands, printed, file } of stepsOf(page)) {
    if (file !== undefined) {
      const path = resolve(cwd, file.path.replace("$AOS_HOME", home.folder));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, here(file.text));
    }
    let said = "";
    for (const line of commands.map(here)) {
      await atRest(home);
      const ran = await home.shell(line, { env, cwd });
      expect(ran.code, `${line}\n${ran.stdout}${ran.stderr}`).toBe(0);
      said += ran.stdout + ran.stderr;
    }
    for (const line of printed) expect(said).toMatch(patternOf(line));
  }
}

/** PAGE-COMMANDS-2. */
function patternOf(line: string): RegExp {
  const parts = line.trim().split("…");
  const asWritten = (part: string) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(parts.map(asWritten).join(".*").replace(/ +/g, " +"));
}

/** PAGE-COMMANDS-3. */
async function atRest({ folder }: TestHome): Promise<void> {
  const socket = join(folder, "aos.sock");
  if (!existsSync(socket)) return;
  for (;;) {
    const living = await clientOver(socket).list({ states: liveStates.join(",") });
    if (living.every(({ waitingOn }) => waitingOn === "approval")) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** `npx` finds the command in node_modules/.bin, and takes half a second for it. This one does not. */
function quickPath({ folder, env }: TestHome): string {
  const bin = join(folder, "..", "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "npx"), '#!/bin/sh\nexec "$@"\n');
  chmodSync(join(bin, "npx"), 0o755);
  return [bin, join(ROOT, "node_modules/.bin"), env["PATH"]].join(delimiter);
}
