// Names that are not text are no way around what a program may see (HIDDEN-2) or write (WORKSPACE-GUARD-2): run in a real sandbox,
// in a folder that is used as it is.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Kernel } from "@aos/kernel";
import { createKernel } from "@aos/daemon";

let kernel: Kernel;
let top: string;
let project: string;

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-odd-names-")));
  kernel = await createKernel({});
});
afterAll(async () => {
  await kernel.close();
  rmSync(top, { recursive: true });
});
beforeEach(() => {
  project = mkdtempSync(join(top, "project-"));
});

/** A path below the project; `?` is a byte that no text has. */
const odd = (path: string, byte = 0xff): Buffer =>
  Buffer.from([...Buffer.from(`${project}/${path}`)].map((one) => (one === 0x3f ? byte : one)));

async function shell(command: string) {
  const pid = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "worker",
      program: "call",
      tools: ["shell.execute"],
      capabilities: ["tool:shell.execute:call", "shell:*:exec", "file:/work/**:*"],
    },
    input: { tool: "shell.execute", args: { command } },
    workspace: { folder: project, isCow: false },
  });
  const { output, error } = await kernel.wait(pid);
  return { said: output as { stdout: string; quarantine?: string[] } | null, error };
}

test("a hidden file is hidden in a folder whose name is not text, however deep, and by a link too", async () => {
  for (const folder of ["?", "a/?/b", "?x/?"]) {
    mkdirSync(odd(folder), { recursive: true });
    writeFileSync(odd(`${folder}/.env`), "TREASURE");
    writeFileSync(odd(`${folder}/open`), "open ");
    symlinkSync(".env", odd(`${folder}/link`));
  }

  const { said, error } = await shell(
    "find . -name open -exec cat {} +; find . \\( -name .env -o -name link \\) -exec cat {} +; true",
  );

  expect(error).toBeNull();
  expect(said?.stdout).toBe("open open open ");
});

test("a hook that a run puts below such a name is taken away, each of two that read the same", async () => {
  const { said, error } = await shell(
    `for f in "$(printf '\\377')" "$(printf '\\376')"; do mkdir -p "$f/.git/hooks"; echo evil > "$f/.git/hooks/pre-commit"; done`,
  );

  expect(error).toBeNull();
  expect(existsSync(odd("?/.git/hooks/pre-commit"))).toBe(false);
  expect(existsSync(odd("?/.git/hooks/pre-commit", 0xfe))).toBe(false);
  expect(said?.quarantine).toHaveLength(2);
});

test("what has power below such a name cannot be held, and no program is run beside it", async () => {
  mkdirSync(odd("?/.git/hooks"), { recursive: true });
  writeFileSync(odd("?/.git/hooks/pre-commit"), "good");

  const { error } = await shell("echo evil > */.git/hooks/pre-commit");

  expect(error).toMatchObject({ code: "EINVAL", message: expect.stringContaining("not UTF-8") });
});
