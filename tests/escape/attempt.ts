// Attempts to get out of the sandbox. Each is a script that prints a word when it has got out: inside it
// must not, and outside, where nothing holds it, it must. So an attempt that could not succeed anyway
// proves nothing and fails.
//
//   holds([{ name: "read the passwords", script: "cat /etc/shadow", succeedsOutside: "root:" }]);

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "@aos/drivers";
import type { Confinement } from "@aos/drivers/sandbox";

export interface Attempt {
  /** What it tries, as in `open the disk's device`. */
  readonly name: string;
  /** For `sh`. */
  readonly script: string;
  /** What its output holds when it has got out, and only then. */
  readonly succeedsOutside: string;
  /** Inside, its output must hold this: why it failed, where that is worth knowing. */
  readonly failsInside?: string | RegExp;
}

export interface Where {
  readonly sandboxed: boolean;
  /** What the run is given, beside what every attempt has: nothing. */
  readonly confinement?: Partial<Confinement>;
  /** Outside: the same variables. */
  readonly env?: Readonly<Record<string, string>>;
}

const PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
const WALL_MS = 120_000;

let sandbox: Promise<Sandbox> | undefined;

/** One for a file of tests. */
export const theSandbox = (): Promise<Sandbox> => (sandbox ??= createSandbox({}));

afterAll(async () => {
  await (await sandbox)?.close();
  sandbox = undefined;
});

/** What did not even begin was not refused. */
const BEGAN = "attempt began";

/** Runs a script to its end and gives all that it printed. */
export const attempt = (script: string, where: Where): Promise<string> =>
  where.sandboxed ? inside(script, where) : outside(script, where);

async function inside(script: string, { confinement, env }: Where): Promise<string> {
  const run = await (
    await theSandbox()
  ).start({
    name: "attempt",
    mounts: [],
    network: "none",
    profile: "tool",
    limits: { wallMs: WALL_MS },
    ...confinement,
    env: { ...confinement?.env, ...env },
    command: ["/bin/sh", "-c", `echo ${BEGAN}; ${script}`],
    output: "collect",
    input: "",
  });
  const { stdout, stderr } = await run.ended;
  expect(stdout).toContain(BEGAN);
  return stdout + stderr;
}

/** As whoever runs the tests, in an empty folder of its own. */
async function outside(script: string, { confinement, env }: Where): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "aos-attempt-"));
  try {
    const child = spawn("/bin/sh", ["-c", script], {
      cwd: folder,
      env: { PATH, HOME: folder, LANG: "C.UTF-8", ...confinement?.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => void output.push(text));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once("error", reject);
    child.once("close", () => resolve());
    const end = () => process.kill(-child.pid!, "SIGKILL");
    const timer = setTimeout(end, WALL_MS);
    await promise.finally(() => clearTimeout(timer));
    return output.join("");
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** Each of them, on both sides. */
export function holds(
  attempts: readonly Attempt[],
  places: { readonly inside?: () => Partial<Where>; readonly outside?: () => Partial<Where> } = {},
): void {
  describe.each(attempts)("$name", ({ script, succeedsOutside, failsInside }) => {
    test("is refused inside", async () => {
      const output = await attempt(script, { ...places.inside?.(), sandboxed: true });

      expect(output).not.toContain(succeedsOutside);
      if (failsInside !== undefined) expect(output).toMatch(failsInside);
    });

    test("succeeds outside", async () => {
      const output = await attempt(script, { ...places.outside?.(), sandboxed: false });

      expect(output).toContain(succeedsOutside);
    });
  });
}
