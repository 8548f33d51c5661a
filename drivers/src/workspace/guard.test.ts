import { existsSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import {
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openGuard } from "./guard.ts";

let root: string;
let quarantine: string;

beforeEach(() => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "aos-guard-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  root = join(top, "project");
  quarantine = join(top, "quarantine");
  mkdirSync(root);
});

const put = (path: string, text = "x"): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const isThere = (path: string) =>
  lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
const guarding = () => openGuard(root, "/work", { quarantine, mayRead: () => true });
const repository = (at: string) => {
  put(`${at}/HEAD`, "ref: refs/heads/main\n");
  put(`${at}/config`, "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  put(`${at}/objects/x`);
  put(`${at}/refs/heads/main`);
  put(`${at}/hooks/pre-commit.sample`);
};

test("WORKSPACE-GUARD-1: what has power is bound, at any depth: read-only, or onto itself", async () => {
  put(".agents/mcp.yaml");
  put("a/b/.agents/policy.yaml");
  put("a/CLAUDE.md");
  put("AGENTS.md");
  put(".vscode/settings.json");
  put("node_modules/x/AGENTS.md");
  put("node_modules/x/.agents/mcp.yaml");
  put("src/agents.ts");
  repository(".git");
  repository("bare");
  repository(".git/modules/m");
  put(".git/refs/heads/config", "a branch");

  const { mounts } = await guarding();

  const bound = (mode: string) =>
    mounts.filter((one) => one.mode === mode).map(({ at }) => at.slice("/work/".length));
  expect(bound("read").toSorted()).toEqual([
    ".agents",
    ".git/config",
    ".git/hooks",
    ".git/modules/m/config",
    ".git/modules/m/hooks",
    ".vscode",
    "AGENTS.md",
    "a/CLAUDE.md",
    "a/b/.agents",
    "bare/config",
    "bare/hooks",
    "node_modules/x/.agents",
  ]);
  expect(bound("write")).toEqual([".git"]);
});

describe("WORKSPACE-GUARD-2: what appears during the run is taken away", () => {
  test.each([
    ".agents/agents/helper.yaml",
    "deep/er/.agents/mcp.yaml",
    ".AGENTS/mcp.yaml",
    "AGENTS.md",
    "src/claude.md",
    ".mcp.json",
    ".git/hooks/post-checkout",
    "x/.git/hooks/post-checkout",
    ".git",
  ])("%s", async (path) => {
    const guard = await guarding();
    put(path, "planted");
    put("harmless.txt");

    const said = await guard.settle();

    expect(said).toHaveLength(1);
    expect(isThere(path)).toBe(false);
    expect(isThere("harmless.txt")).toBe(true);
    const [place] = readdirSync(quarantine);
    expect(readFileSync(join(quarantine, place!, path), "utf8")).toBe("planted");
    expect(await (await guarding()).settle()).toEqual([]);
  });

  test("a folder that is renamed to .agents, and a link of that name", async () => {
    const guard = await guarding();
    put("x/mcp.yaml", "planted");
    renameSync(join(root, "x"), join(root, ".agents"));
    mkdirSync(join(root, "y"));
    symlinkSync("../other", join(root, "y/.agents"));

    expect(await guard.settle()).toHaveLength(2);
    expect([isThere(".agents"), isThere("y/.agents")]).toEqual([false, false]);
  });

  test("settings of a new repository that git would run, and none of those that it writes itself", async () => {
    const guard = await guarding();
    repository("good/.git");
    put(
      "good/.git/config",
      '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://a.example/x\n',
    );
    repository("bad/.git");
    put("bad/.git/config", "[core]\n\tfsmonitor = ./evil\n");

    await guard.settle();

    expect(isThere("good/.git/config")).toBe(true);
    expect(isThere("good/.git/hooks")).toBe(true);
    expect(isThere("bad/.git/config")).toBe(false);
  });
});

describe("WORKSPACE-GUARD-2: what was moved with a folder above it is put back", () => {
  test("what was put in its place goes to quarantine", async () => {
    put("sub/.agents/policy.yaml", "deny");
    const guard = await guarding();

    renameSync(join(root, "sub"), join(root, "old"));
    put("sub/.agents/policy.yaml", "allow");
    const said = await guard.settle();

    expect(textOf("sub/.agents/policy.yaml")).toBe("deny");
    expect(isThere("old/.agents")).toBe(false);
    expect(said.toSorted()).toEqual([
      "old/.agents was moved back to sub/.agents",
      "sub/.agents was moved to quarantine",
    ]);
  });

  test("two folders that have changed places are changed back", async () => {
    put("a/.agents/policy.yaml", "of a");
    put("b/.agents/policy.yaml", "of b");
    const guard = await guarding();

    renameSync(join(root, "a"), join(root, "c"));
    renameSync(join(root, "b"), join(root, "a"));
    renameSync(join(root, "c"), join(root, "b"));
    await guard.settle();

    expect([textOf("a/.agents/policy.yaml"), textOf("b/.agents/policy.yaml")]).toEqual([
      "of a",
      "of b",
    ]);
  });

  test("a file that has a second name gets its bytes back", async () => {
    put("AGENTS.md", "be kind");
    linkSync(join(root, "AGENTS.md"), join(root, "other"));
    const guard = await guarding();

    writeFileSync(join(root, "other"), "be cruel");
    await guard.settle();

    expect(textOf("AGENTS.md")).toBe("be kind");
  });
});

test("WORKSPACE-GUARD-3: what somebody outside writes meanwhile stays", async () => {
  put(".agents/mcp.yaml", "old");
  put("AGENTS.md", "old");
  const guard = await guarding();

  put(".agents/mcp.yaml", "new");
  put("AGENTS.md.new", "new");
  renameSync(join(root, "AGENTS.md.new"), join(root, "AGENTS.md"));

  expect(await guard.settle()).toEqual([]);
  expect([textOf(".agents/mcp.yaml"), textOf("AGENTS.md")]).toEqual(["new", "new"]);
});

test("a folder that is too deep to be looked at hides nothing that was planted beside it", async () => {
  const guard = await guarding();
  mkdirSync(join(root, "a/".repeat(210)), { recursive: true });
  put("z/.agents/mcp.yaml");

  expect(await guard.settle()).toEqual(["z/.agents was moved to quarantine"]);
  await expect(guarding()).rejects.toMatchObject({ code: "EINVAL" });
  expect(existsSync(quarantine)).toBe(true);
});
