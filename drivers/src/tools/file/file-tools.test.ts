import { execFileSync } from "node:child_process";
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
import type { Json, Tool } from "@aos/protocol";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { programRunnerForTest } from "../../../../tests/helpers/drivers/program-runner.ts";
import { createFileTools } from "./index.ts";

const tools = createFileTools(programRunnerForTest("/nonexistent/work"));
const named = (name: string): Tool => tools.find((tool) => tool.name === `file.${name}`)!;
const [fileAppend, fileList, fileRead, fileRemove, fileWrite] = [
  named("append"),
  named("list"),
  named("read"),
  named("remove"),
  named("write"),
];

const run = (tool: Tool, args: Json, context = deviceContextForTest()): Promise<Json> =>
  tool.run(args, context);

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "aos-files-")));
});
afterEach(() => rm(folder, { recursive: true }));

test("write replaces, append adds a line, read gives it back", async () => {
  const path = join(folder, "notes");
  await run(fileWrite, { path, text: "a long first text\n" });
  await run(fileWrite, { path, text: "one\n" });
  await run(fileAppend, { path, line: "two" });

  expect(await run(fileRead, { path })).toEqual({ text: "one\ntwo\n", next: null });
});

test("append makes the file when there is none", async () => {
  const path = join(folder, "witness");

  expect(await run(fileAppend, { path, line: "é" })).toEqual({ bytes: 3 });
  expect(await readFile(path, "utf8")).toBe("é\n");
});

test("a file read in pieces is the file, whatever the size of a piece", async () => {
  const path = join(folder, "pieces");
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.integer({ min: 4, max: 9 }),
      async (text, limit) => {
        await writeFile(path, text);
        let read = "";
        let offset: number | null = 0;
        while (offset !== null) {
          const piece = (await run(fileRead, { path, offset, limit })) as {
            text: string;
            next: number | null;
          };
          read += piece.text;
          offset = piece.next;
        }
        expect(read).toBe(text);
      },
    ),
    { numRuns: 40 },
  );
});

test("what is no text, or not there, is refused with its name", async () => {
  await writeFile(join(folder, "binary"), Buffer.from([0xff, 0xfe, 0x00]));

  await expect(run(fileRead, { path: join(folder, "binary") })).rejects.toMatchObject({
    code: "EINVAL",
    message: expect.stringContaining("not UTF-8"),
  });
  for (const path of ["none", "no/file", "binary/x"].map((name) => join(folder, name))) {
    await expect(run(fileRead, { path })).rejects.toMatchObject({ code: "ENOENT" });
  }
  for (const path of ["no/file", "binary/x"].map((name) => join(folder, name))) {
    await expect(run(fileAppend, { path, line: "x" })).rejects.toMatchObject({ code: "ENOENT" });
  }
});

test("list names what is there, sorted, and says when there is more", async () => {
  await writeFile(join(folder, "b"), "");
  await mkdir(join(folder, "c"));
  await symlink("/nowhere", join(folder, "a"));

  expect(await run(fileList, { path: folder })).toEqual({
    entries: [
      { name: "a", kind: "link" },
      { name: "b", kind: "file" },
      { name: "c", kind: "folder" },
    ],
    cut: false,
  });
  expect(await run(fileList, { path: folder, limit: 3 })).toMatchObject({ cut: false });
  expect(await run(fileList, { path: folder, limit: 2 })).toMatchObject({
    entries: { length: 2 },
    cut: true,
  });
});

test("list asks about the folder that a link leads to, and takes only folders", async () => {
  await mkdir(join(folder, "real"));
  await writeFile(join(folder, "real", "secret"), "");
  await symlink(join(folder, "real"), join(folder, "way"));
  const context = deviceContextForTest({ grants: ({ resource }) => resource.endsWith("/way") });

  await expect(run(fileList, { path: join(folder, "way") }, context)).rejects.toMatchObject({
    code: "EACCES",
  });
  expect(context.asked).toEqual([{ kind: "file", resource: join(folder, "real"), verb: "list" }]);
  await expect(run(fileList, { path: join(folder, "real/secret") })).rejects.toMatchObject({
    code: "EINVAL",
  });
});

test("remove takes a file or a link away, never what the link leads to", async () => {
  await writeFile(join(folder, "kept"), "x");
  await writeFile(join(folder, "gone"), "x");
  await symlink(join(folder, "kept"), join(folder, "link"));

  expect(await run(fileRemove, { path: join(folder, "gone") })).toEqual({ removed: true });
  expect(await run(fileRemove, { path: join(folder, "gone") })).toEqual({ removed: false });
  expect(await run(fileRemove, { path: join(folder, "link") })).toEqual({ removed: true });
  expect(await readFile(join(folder, "kept"), "utf8")).toBe("x");
});

test("remove takes neither folders nor pipes", async () => {
  const pipe = join(folder, "pipe");
  execFileSync("/usr/bin/mkfifo", [pipe]);

  for (const path of [folder, pipe])
    await expect(run(fileRemove, { path })).rejects.toMatchObject({ code: "EINVAL" });
  expect(await readdir(folder)).toEqual(["pipe"]);
});

test("remove asks about the folder where the name really is", async () => {
  await mkdir(join(folder, "real"));
  await writeFile(join(folder, "real", "kept"), "x");
  await symlink(join(folder, "real"), join(folder, "way"));
  const context = deviceContextForTest({ grants: ({ resource }) => resource.includes("/way/") });

  await expect(
    run(fileRemove, { path: join(folder, "way", "kept") }, context),
  ).rejects.toMatchObject({ code: "EACCES" });
  expect(await readFile(join(folder, "real", "kept"), "utf8")).toBe("x");
  expect(context.asked).toEqual([
    { kind: "file", resource: join(folder, "real", "kept"), verb: "remove" },
  ]);
});
