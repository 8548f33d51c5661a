// The file tools in a workspace: what agents call /work, and what they are told.

import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Json, type Touch } from "@aos/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { programRunnerForTest } from "../../../../tests/helpers/drivers/program-runner.ts";
import { nameMatcher } from "./grep-tool.ts";
import { createFileTools } from "./index.ts";

let top: string;
let root: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "aos-work-")));
  root = join(top, "work");
  await mkdir(root);
});
afterEach(() => rm(top, { recursive: true }));

const COPY = { workspace: { folder: "/home/ada/site", isCow: true } };
const DIRECT = { workspace: { folder: "/home/ada/site", isCow: false } };

const toolNamed = (name: string) =>
  createFileTools(programRunnerForTest(root, [join(top, "home")])).find(
    (tool) => tool.name === `file.${name}`,
  )!;
const inWork = ({ resource }: Touch) => resource === "/work" || resource.startsWith("/work/");
const run = (name: string, args: Json, context = deviceContextForTest({ grants: inWork })) =>
  toolNamed(name).run(args, context);

test("FILE-LOCATION-1: the gate is asked under the agent's names, and the file is in the workspace", async () => {
  const context = deviceContextForTest({ grants: inWork });
  await run("write", { path: "/work/a/b.txt", text: "hello", make: true }, context);
  expect(await readFile(join(root, "a/b.txt"), "utf8")).toBe("hello");
  expect(context.asked).toEqual([
    { kind: "file", resource: "/work/a", verb: "write" },
    { kind: "file", resource: "/work/a/b.txt", verb: "write" },
  ]);
  expect(await run("read", { path: "/work/a/b.txt" })).toEqual({ text: "hello", next: null });
});

test("FILE-LOCATION-1: a link out of the workspace is asked about as what it leads to", async () => {
  await writeFile(join(top, "secret"), "SECRET");
  await symlink(join(top, "secret"), join(root, "link"));
  const context = deviceContextForTest({ grants: inWork });
  await expect(run("read", { path: "/work/link" }, context)).rejects.toMatchObject({
    code: "EACCES",
  });
  expect(context.asked).toEqual([{ kind: "file", resource: join(top, "secret"), verb: "read" }]);
});

test("FILE-LOCATION-2: what the daemon keeps has no name, whatever is granted", async () => {
  await mkdir(join(top, "home"));
  await writeFile(join(top, "home", "secret.key"), "KEY");
  await symlink(join(top, "home", "secret.key"), join(root, "link"));
  for (const path of [join(top, "home", "secret.key"), "/work/link"])
    await expect(run("read", { path }, deviceContextForTest())).rejects.toMatchObject({
      code: "EACCES",
      message: expect.stringContaining("belongs to the daemon"),
    });
});

test("FILE-LOCATION-3: no error says where the workspace is", async () => {
  await writeFile(join(root, "binary"), Buffer.from([0xff]));
  await mkdir(join(root, "folder"));
  for (const [name, args] of [
    ["read", { path: "/work/none" }],
    ["read", { path: "/work/binary" }],
    ["read", { path: "/work/folder" }],
    ["list", { path: "/work/binary" }],
    ["write", { path: "/work/no/file", text: "" }],
    ["remove", { path: "/work/folder" }],
  ] as const)
    await expect(run(name, args)).rejects.toSatisfy(
      (error: Error) => error.message.includes("/work/") && !error.message.includes(top),
    );
});

test("what is done in a copy can be taken back; in a user's own folder it cannot", () => {
  const sinks = (name: string, args: Json, place: typeof COPY) =>
    toolNamed(name).sinks!(args, place);
  const edits = [{ old: "a", new: "b" }];
  for (const [name, args] of [
    ["write", { path: "/work/a", text: "" }],
    ["edit", { path: "/work/a", edits }],
    ["move", { from: "/work/a", to: "/work/b", replace: true }],
    ["move", { from: "/work/a", to: "/work/b" }],
    ["remove", { path: "/work/a" }],
  ] as const) {
    expect(sinks(name, args as Json, COPY)).toEqual(["write"]);
    expect(sinks(name, args as Json, DIRECT)).toEqual(["destructive"]);
  }
  expect(sinks("remove", { path: "/workshop/a" }, COPY)).toEqual(["destructive"]);
});

test("edit replaces in place, and nothing when an edit does not fit", async () => {
  await writeFile(join(root, "a"), "one two one");
  await expect(
    run("edit", {
      path: "/work/a",
      edits: [
        { old: "two", new: "2" },
        { old: "one", new: "1" },
      ],
    }),
  ).rejects.toMatchObject({ code: "EINVAL" });
  expect(await readFile(join(root, "a"), "utf8")).toBe("one two one");
  await run("edit", { path: "/work/a", edits: [{ old: "two", new: "2" }] });
  expect(await readFile(join(root, "a"), "utf8")).toBe("one 2 one");
});

test("move takes a free place, or replaces when told to", async () => {
  await writeFile(join(root, "a"), "A");
  await writeFile(join(root, "b"), "B");
  await expect(run("move", { from: "/work/a", to: "/work/b" })).rejects.toMatchObject({
    code: "EEXIST",
  });
  expect(await readFile(join(root, "b"), "utf8")).toBe("B");
  await run("move", { from: "/work/a", to: "/work/b", replace: true });
  await run("move", { from: "/work/b", to: "/work/c" });
  expect(await readdir(root)).toEqual(["c"]);
  expect(await readFile(join(root, "c"), "utf8")).toBe("A");
});

test("move asks about both places", async () => {
  await writeFile(join(root, "a"), "A");
  const only = (resource: string) =>
    deviceContextForTest({ grants: (touch) => touch.resource === resource });
  for (const granted of ["/work/a", "/work/b"])
    await expect(
      run("move", { from: "/work/a", to: "/work/b" }, only(granted)),
    ).rejects.toMatchObject({ code: "EACCES" });
  expect(await readdir(root)).toEqual(["a"]);
});

test("a folder goes only when that is said", async () => {
  await mkdir(join(root, "f"));
  await writeFile(join(root, "f", "a"), "");
  await expect(run("remove", { path: "/work/f" })).rejects.toMatchObject({ code: "EINVAL" });
  expect(await run("remove", { path: "/work/f", recursive: true })).toEqual({ removed: true });
  expect(await readdir(root)).toEqual([]);
});

test("several files at once: each with its text or its error, and what did not fit", async () => {
  await writeFile(join(root, "a"), "aaaa");
  await writeFile(join(root, "b"), "bbbb");
  const paths = ["/work/none", "/work/a", "/work/b"];
  expect(await run("read_many", { paths, limit: 6 })).toEqual({
    files: [
      { path: "/work/none", error: expect.stringMatching(/^ENOENT: \/work\/none does not exist/) },
      { path: "/work/a", text: "aaaa" },
    ],
    left: ["/work/b"],
  });
});

test("a list goes as deep as it is told, and not where it may not look", async () => {
  await mkdir(join(root, "a", "b"), { recursive: true });
  await writeFile(join(root, "a", "b", "c"), "");
  const names = async (args: Json, context?: ReturnType<typeof deviceContextForTest>) =>
    ((await run("list", args, context)) as { entries: { name: string }[] }).entries.map(
      ({ name }) => name,
    );
  expect(await names({ path: "/work" })).toEqual(["a"]);
  expect(await names({ path: "/work", depth: 3 })).toEqual(["a", "a/b", "a/b/c"]);
  const notB = deviceContextForTest({ grants: ({ resource }) => resource !== "/work/a/b" });
  expect(await names({ path: "/work", depth: 3 }, notB)).toEqual(["a", "a/b"]);
});

test("grep finds lines by text and by expression, and passes over what it may not read", async () => {
  await mkdir(join(root, "src"));
  await writeFile(join(root, "src", "a.ts"), "let x = 1;\nlet (y) = 2;\r\n");
  await writeFile(join(root, "src", "b.md"), "let x\n");
  await writeFile(join(root, "binary"), Buffer.from([0, 1, 2]));
  await writeFile(join(root, ".env"), "let KEY\n");
  const context = deviceContextForTest({ grants: ({ resource }) => !resource.endsWith(".env") });
  const grep = async (args: object) =>
    (await run("grep", { path: "/work", ...args } as Json, context)) as { matches: Json[] };
  expect(await grep({ text: "let (" })).toMatchObject({
    matches: [{ path: "/work/src/a.ts", line: 2, text: "let (y) = 2;" }],
    passedOver: { refused: 1, binary: 1 },
    cut: false,
  });
  expect((await grep({ expression: "^LET x", ignoreCase: true })).matches).toHaveLength(2);
  expect((await grep({ text: "let", names: "*.md" })).matches).toEqual([
    { path: "/work/src/b.md", line: 1, text: "let x" },
  ]);
  expect(await grep({ text: "let", limit: 1 })).toMatchObject({
    matches: { length: 1 },
    cut: true,
  });
  await expect(grep({})).rejects.toMatchObject({ code: "EINVAL" });
  await expect(grep({ expression: "(" })).rejects.toMatchObject({ code: "EINVAL" });
});

test("GREP-TOOL-1: an expression that takes for ever is ended", async () => {
  await writeFile(join(root, "a"), `${"a".repeat(60)}!\n`);
  await expect(run("grep", { path: "/work", expression: "^(a+)+$" })).rejects.toMatchObject({
    code: "ETIMEDOUT",
  });
});

test.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "a.tsx", false],
  ["a*c*e", "abcde", true],
  ["a*b", "ab", true],
  ["ab*b", "ab", false],
  ["a.b", "a.b", true],
  ["a.b", "axb", false],
  ["*", "", true],
])("whether the name pattern %s matches %s is %s", (pattern, name, fits) => {
  expect(nameMatcher(pattern)(name)).toBe(fits);
});
