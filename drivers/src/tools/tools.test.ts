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
import { type Json, SysError, type Tool } from "@aos/protocol";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { builtInTools, defineTool } from "./index.ts";

const tool = (name: string): Tool => {
  const found = builtInTools.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
};
const run = (name: string, args: Json, signal = new AbortController().signal): Promise<Json> =>
  tool(name).run(args, { pid: "agt_test", tenant: "default", signal, key: "k" });

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "aos-tools-")));
});
afterEach(() => rm(folder, { recursive: true }));

const fileTools: [string, Json][] = [
  ["file.read", {}],
  ["file.write", { text: "new" }],
  ["file.append", { line: "new" }],
];

describe("a tool", () => {
  test("shows its arguments as a JSON Schema, and says what does not fit", () => {
    const append = tool("file.append");

    expect(append.input).toMatchObject({ type: "object", required: ["path", "line"] });
    expect(append.refuses?.({ path: "/a", line: "b" })).toBeUndefined();
    expect(append.refuses?.({ path: "/a", line: "b", mode: 1 })).toContain('"mode"');
    expect(append.refuses?.({ path: "/a", line: "b\nc" })).toContain("one line");
    expect(append.refuses?.(null)).toContain("expected object");
  });

  test("never runs with arguments that do not fit, nor after it was stopped", async () => {
    const ran: unknown[] = [];
    const touchy = defineTool({
      name: "touchy",
      version: "1",
      description: "",
      input: z.strictObject({ n: z.number() }),
      effect: "read",
      run: async (args) => {
        ran.push(args);
        return null;
      },
    });
    const context = { pid: "agt_test", tenant: "default", key: "k" };

    await expect(
      touchy.run({ n: "1" }, { ...context, signal: new AbortController().signal }),
    ).rejects.toMatchObject({ code: "EINVAL", message: expect.stringContaining("touchy") });
    await expect(
      touchy.run({ n: 1 }, { ...context, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: "EINTR" });
    expect(() => touchy.touches({})).toThrow(SysError);
    expect(ran).toEqual([]);
  });

  test("echo returns what it was given and touches nothing", async () => {
    expect(await run("echo", { a: [1, null] })).toEqual({ a: [1, null] });
    expect(tool("echo").touches({ a: 1 })).toEqual([]);
  });

  test("what it does to the world is declared", () => {
    const effects = Object.fromEntries(builtInTools.map(({ name, effect }) => [name, effect]));

    expect(effects).toEqual({
      echo: "read",
      "file.append": "external",
      "file.read": "read",
      "file.write": "idempotent",
    });
    expect(tool("file.append").touches({ path: "/a/b", line: "" })).toEqual([
      { kind: "file", resource: "/a/b", verb: "write" },
    ]);
    expect(tool("file.write").touches({ path: "/a/b", text: "" })).toEqual([
      { kind: "file", resource: "/a/b", verb: "write" },
    ]);
    expect(tool("file.read").touches({ path: "/a/b" })).toEqual([
      { kind: "file", resource: "/a/b", verb: "read" },
    ]);
  });

  test("what is read from a file has no label, so it is untrusted", () => {
    expect(tool("file.read").label).toBeUndefined();
  });
});

describe("files", () => {
  test("write replaces, append adds a line, read gives it back", async () => {
    const path = join(folder, "notes");
    await run("file.write", { path, text: "a long first text\n" });
    await run("file.write", { path, text: "one\n" });
    await run("file.append", { path, line: "two" });

    expect(await run("file.read", { path })).toEqual({ text: "one\ntwo\n", next: null });
  });

  test("append makes the file when there is none", async () => {
    const path = join(folder, "witness");

    expect(await run("file.append", { path, line: "é" })).toEqual({ bytes: 3 });
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
            const piece = (await run("file.read", { path, offset, limit })) as {
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

    await expect(run("file.read", { path: join(folder, "binary") })).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringContaining("not UTF-8"),
    });
    await expect(run("file.read", { path: join(folder, "none") })).rejects.toMatchObject({
      code: "ENOENT",
    });
    await expect(
      run("file.append", { path: join(folder, "no", "file"), line: "x" }),
    ).rejects.toMatchObject({ code: "ENOENT" });
    await expect(run("file.read", { path: join(folder, "binary", "x") })).rejects.toMatchObject({
      code: "ENOENT",
    });
  });
});

describe.each(fileTools)("%s", (name, rest) => {
  const at = (path: string): Json => ({ ...(rest as object), path });

  test.each(["x", "./x", "../x", "/a/../x", "/a/./x", "/a//x", "/a/", "/", "", "/a\0b", "/.."])(
    "refuses the path %j before it runs",
    (path) => {
      expect(tool(name).refuses?.(at(path))).toContain("path");
    },
  );

  test("does not follow a link at the leaf", async () => {
    await writeFile(join(folder, "secret"), "old");
    await symlink(join(folder, "secret"), join(folder, "link"));

    await expect(run(name, at(join(folder, "link")))).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringContaining("symbolic link"),
    });
    expect(await readFile(join(folder, "secret"), "utf8")).toBe("old");
  });

  test("does not follow a link on the way", async () => {
    await mkdir(join(folder, "real"));
    await writeFile(join(folder, "real", "secret"), "old");
    await symlink(join(folder, "real"), join(folder, "way"));

    await expect(run(name, at(join(folder, "way", "secret")))).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringContaining("symbolic link"),
    });
    expect(await readFile(join(folder, "real", "secret"), "utf8")).toBe("old");
  });

  test("does not make a file through a link that leads nowhere", async () => {
    await symlink(join(folder, "nowhere"), join(folder, "link"));

    await expect(run(name, at(join(folder, "link")))).rejects.toMatchObject({ code: "EINVAL" });
    await expect(readFile(join(folder, "nowhere"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("does not make a file in a folder behind a link", async () => {
    await mkdir(join(folder, "real"));
    await symlink(join(folder, "real"), join(folder, "way"));

    await expect(run(name, at(join(folder, "way", "new")))).rejects.toMatchObject({
      code: "EINVAL",
    });
    expect(await readdir(join(folder, "real"))).toEqual([]);
  });

  test("takes no folder and does not hang on a pipe", async () => {
    execFileSync("/usr/bin/mkfifo", [join(folder, "pipe")]);

    await expect(run(name, at(folder))).rejects.toMatchObject({ code: "EINVAL" });
    await expect(run(name, at(join(folder, "pipe")))).rejects.toMatchObject({ code: "EINVAL" });
  });
});
