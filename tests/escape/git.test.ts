// Ways out by git: a repository says what programs git runs, so whoever may write to one has whatever git
// runs. Here git runs in the sandbox, and so does what the repository says. The witness is a file beside
// the workspace.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { attempt } from "./attempt.ts";

let top: string;
let repository: string;
let witness: string;
let ran: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "aos-git-"));
  repository = join(top, "work");
  witness = join(top, "witness");
  ran = join(repository, "ran");
  chmodSync(top, 0o755);
  mkdirSync(repository);
  const evil = join(repository, "evil.sh");
  writeFileSync(evil, `#!/bin/sh\necho > '${ran}'\necho > '${witness}'\ncat\n`, { mode: 0o755 });
  const git = (...words: string[]) =>
    execFileSync("git", words, {
      cwd: repository,
      env: { PATH: process.env["PATH"] },
      stdio: "ignore",
    });
  git("init", "-q");
  git("config", "user.email", "a@example.com");
  git("config", "user.name", "a");
  writeFileSync(join(repository, "file"), "one\n");
  writeFileSync(join(repository, ".gitattributes"), "file diff=evil filter=evil\n");
  git("add", "file", ".gitattributes");
  git("commit", "-q", "-m", "first");
  writeFileSync(join(repository, "file"), "two\n");
  execFileSync("chmod", ["-R", "a+rwX", top]);
});

afterEach(() => rmSync(top, { recursive: true, force: true, maxRetries: 20 }));

/** Outside, the folder's new owner would be nobody that git trusts. */
const GIT = `git -c safe.directory='*'`;
const EVIL = `"$PWD/evil.sh"`;
const hook = (name: string, command: string) =>
  `printf '#!/bin/sh\\nexec ./evil.sh </dev/null' > .git/hooks/${name} && chmod +x .git/hooks/${name} && ${GIT} ${command}`;
const config = (key: string, command: string) =>
  `${GIT} config ${key} ${EVIL} && ${GIT} ${command} </dev/null`;

describe.each([
  ["a monitor of files", config("core.fsmonitor", "status")],
  ["a program for differences", config("diff.external", "diff")],
  ["a program that makes text of a file", config("diff.evil.textconv", "diff")],
  ["a filter of what is added", config("filter.evil.clean", "add file")],
  ["an editor", config("core.editor", "commit -a")],
  ["a hook before a commit", hook("pre-commit", "commit -a -m x")],
  ["a hook after a commit", hook("post-commit", "commit -a -m x")],
  [
    "a hook before a push",
    `${GIT} init -q --bare ../other.git 2>/dev/null || ${GIT} init -q --bare /tmp/other.git; ${hook("pre-push", "push $(ls -d ../other.git /tmp/other.git 2>/dev/null | head -1) HEAD:x")}`,
  ],
])("%s", (_name, script) => {
  const tried = (sandboxed: boolean) =>
    attempt(`cd '${repository}' && ${script}`, {
      sandboxed,
      confinement: { mounts: [{ from: repository, mode: "write" }] },
    });

  test("reaches the workspace and no further inside", async () => {
    const output = await tried(true);

    expect(existsSync(ran), output).toBe(true);
    expect(existsSync(witness)).toBe(false);
  });

  test("reaches the machine outside", async () => {
    const output = await tried(false);

    expect(existsSync(witness), output).toBe(true);
  });
});
