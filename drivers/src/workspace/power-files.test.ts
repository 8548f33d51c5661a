// Files that the user's own programs obey.

import { describe, expect, test } from "vitest";
import { powerInGitConfig } from "./git-config.ts";
import { powerOf } from "./power-files.ts";

const ask = (
  path: string,
  more: { target?: string; isFolder?: boolean; repository?: string } = {},
) =>
  powerOf({
    path,
    isFolder: more.isFolder ?? false,
    ...(more.target === undefined ? {} : { target: more.target }),
    isRepository: async (folder) => folder === more.repository,
    texts: async () => ["", "[core]\n\tfsmonitor = ./evil\n"],
  });

test.each([
  ".git/hooks/pre-commit",
  "sub/.git/hooks/post-checkout",
  ".git/modules/x/hooks/update",
  ".git/config",
  ".git/config.worktree",
  ".git/modules/x/config",
  ".git/worktrees/w/gitdir",
  ".git/commondir",
  ".git/rebase-merge/git-rebase-todo",
  ".git/objects/info/alternates",
  ".git",
  "vendor/.git",
  ".agents/tools/x.ts",
  "sub/.agents/policy.yaml",
  ".agents",
  ".aosignore",
  ".aos/config.yaml",
  ".claude/settings.json",
  ".cursor/rules/x",
  ".mcp.json",
  ".vscode/tasks.json",
  ".envrc",
  ".husky/pre-commit",
  // Names that some volume takes for one of these (POWER-FILES-1).
  ".GIT/hooks/pre-commit",
  ".Git/config",
  ".g\u200cit/hooks/x",
  ".git./hooks/x",
  ".git /config",
  "git~1/config",
  ".ＧＩＴ/config",
  ".AGENTS/x",
])("%j gives power", async (path) => {
  expect(await ask(path)).toBeDefined();
});

test.each([
  "src/a.ts",
  ".github/workflows/x.yml",
  ".gitignore",
  ".git/HEAD",
  ".git/index",
  ".git/refs/heads/main",
  ".git/objects/ab/cdef",
  ".git/hooks/pre-commit.sample",
  "config",
  "hooks/pre-commit",
  "agents/x",
  "aos",
  "my.git/x",
])("%j does not", async (path) => {
  expect(await ask(path)).toBeUndefined();
});

test("a folder called .git is a repository; a file or link of that name leads to one", async () => {
  expect(await ask(".git", { isFolder: true })).toBeUndefined();
  expect(await ask(".git/hooks", { isFolder: true })).toBeUndefined();
  expect(await ask(".git/hooks")).toBe("git runs hooks");
  expect(await ask(".git")).toBe("it says where git's own files are");
});

test("a repository by another name is one", async () => {
  expect(await ask("bare/config", { repository: "bare" })).toContain("core.fsmonitor");
  expect(await ask("bare/hooks/update", { repository: "bare" })).toBe("git runs hooks");
  expect(await ask("config", { repository: "" })).toContain("core.fsmonitor");
  expect(await ask("bare/config", { repository: "other" })).toBeUndefined();
});

test.each([
  ["a", "/etc/passwd", true],
  ["a", "../x", true],
  ["sub/a", "../../x", true],
  ["sub/a", "b/../../../x", true],
  ["sub/a", "../x", false],
  ["a", "./b", false],
])("a link %s to %s leads out of the project: %s", async (path, target, isOut) => {
  expect((await ask(path, { target })) !== undefined).toBe(isOut);
});

describe("settings of git", () => {
  const BEFORE = '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://example.com/x\n';

  test.each([
    ["[core]\nfsmonitor = true", "core.fsmonitor"],
    ["[CORE] HooksPath = /tmp", "core.hookspath"],
    ["[core]\n\tsshCommand = sh", "core.sshcommand"],
    ["[alias]\n\tst = !sh", "alias.st"],
    ['[filter "x"]\n\tclean = sh', "filter.x.clean"],
    ['[diff "x"]\ntextconv = sh', "diff.x.textconv"],
    ["[include]\n\tpath = ../x", "include.path"],
    ['[remote "origin"]\n\turl = https://evil.example', "remote.origin.url"],
    ['[url "https://evil.example"]\n\tinsteadOf = https://example.com', "url.https"],
    ["[credential]\n\thelper = !sh", "credential.helper"],
    ["[core]\n\tbare = true", "core.bare"],
    ["[core]\n\tworktree = /etc", "core.worktree"],
    ["[core]\n\tpager = a \\\n b", "unreadable line"],
    ["[core", "unreadable line"],
    ["fsmonitor = x", "unreadable line"],
  ])("%j is power", (added, name) => {
    expect(
      powerInGitConfig(BEFORE, `${added}\n${added.endsWith("\n") ? "" : ""}`)?.join(),
    ).toContain(name);
  });

  test("what was there before, and what is harmless, is let through", () => {
    const after = `${BEFORE}[branch "x"]\n\tremote = origin\n\tmerge = refs/heads/x\n[user]\nname = A\n# c\n`;

    expect(powerInGitConfig(BEFORE, after)).toBeUndefined();
    expect(
      powerInGitConfig(`${BEFORE}[core]\nfsmonitor = x\n`, `[core]\nfsmonitor = x\n`),
    ).toBeUndefined();
  });
});
