// `/work` by system calls: the same files, the same rights and the same rules as by the file tools.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SysError, type Json, type Program, type Sys } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createKernel } from "@aos/daemon";

let kernel: Kernel;
let project: string;
let work: (sys: Sys) => Promise<Json | void>;

const program: Program = async (sys) => work(sys);

beforeEach(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "aos-work-files-")));
  mkdirSync(join(project, "deep"));
  writeFileSync(join(project, "a.txt"), "hello\n");
  writeFileSync(join(project, "deep", "b.txt"), "deep\n");
  kernel = await createKernel({ programs: { worker: program } });
});
afterEach(async () => {
  await kernel.close();
  rmSync(project, { recursive: true });
});

interface Wish {
  readonly capabilities?: readonly string[];
  readonly isCow?: boolean;
}

const ALL = ["file:/work/**:read,write,list,remove"];

async function start(act: (sys: Sys) => Promise<Json | void>, wish: Wish = {}) {
  work = act;
  return kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "worker",
      program: "worker",
      capabilities: [...(wish.capabilities ?? ALL)],
    },
    workspace: { folder: project, isCow: wish.isCow ?? true },
  });
}

const run = async (act: (sys: Sys) => Promise<Json | void>, wish: Wish = {}) =>
  kernel.wait(await start(act, wish));

const codeOf = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
    return "done";
  } catch (error) {
    return error instanceof SysError ? error.code : String(error);
  }
};

test("a file is read, in pieces too, written, listed and removed", async () => {
  const { output, pid } = await run(async (sys) => {
    const before = await sys.list("/work");
    await sys.write("/work/new/c.json", { n: 1 });
    await sys.remove("/work/deep/b.txt");
    return [
      await sys.read("/work/a.txt"),
      await sys.read("/work/a.txt", { offset: 1, length: 4 }),
      await sys.read("/work/new/c.json"),
      before,
      await sys.list("/work"),
    ];
  });

  expect(output).toEqual([
    "hello\n",
    "ello",
    '{"n":1}',
    ["/work/a.txt", "/work/deep/b.txt"],
    ["/work/a.txt", "/work/new/c.json"],
  ]);
  expect((await kernel.replay(pid)).identical).toBe(true);
});

test("each needs its right to the file, and no more than that", async () => {
  const all = async (sys: Sys): Promise<Json> => [
    await codeOf(sys.read("/work/a.txt")),
    await codeOf(sys.write("/work/a.txt", "x")),
    await codeOf(sys.list("/work")),
    await codeOf(sys.remove("/work/a.txt")),
  ];

  const nothing = await run(all, { capabilities: [] });
  const tools = await run(all, {
    capabilities: ["tool:file.*:call", "memory:/work/**:read,write,list,remove"],
  });
  const reading = await run(all, { capabilities: ["file:/work/**:read"] });

  expect(nothing.output).toEqual(["EACCES", "EACCES", "EACCES", "EACCES"]);
  expect(tools.output).toEqual(["EACCES", "EACCES", "EACCES", "EACCES"]);
  expect((reading.output as Json[])[0]).toBe("done");
  expect((reading.output as Json[])[1]).toBe("EACCES");
  expect((reading.output as Json[])[3]).toBe("EACCES");
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("hello\n");
});

test("a link out of the workspace is where it leads, and that needs its own right", async () => {
  symlinkSync("/etc/hostname", join(project, "out"));

  const { output } = await run((sys) => codeOf(sys.read("/work/out")));

  expect(output).toBe("EACCES");
});

test("what is not there, too long or no file says so", async () => {
  writeFileSync(join(project, "long.txt"), "x".repeat(1_100_000));

  const { output } = await run(async (sys) => [
    await codeOf(sys.read("/work/none")),
    await codeOf(sys.remove("/work/none")),
    await codeOf(sys.read("/work/long.txt")),
    await codeOf(sys.open("/work/a.txt")),
    await codeOf(sys.search("/work", "hello")),
    await codeOf(sys.read("/work/../etc/hostname")),
  ]);

  expect(output).toEqual(["ENOENT", "ENOENT", "EINVAL", "EINVAL", "EINVAL", "EINVAL"]);
});

test("in a copy the project is left alone; in the folder itself it is the file", async () => {
  const change = (sys: Sys) => sys.write("/work/new/a.txt", "changed");

  await run(change);
  const before = existsSync(join(project, "new"));
  await run(change, { isCow: false });

  expect(before).toBe(false);
  expect(readFileSync(join(project, "new", "a.txt"), "utf8")).toBe("changed");
});

test("who has read a file of nobody's is untrusted, and a change that stays needs a person", async () => {
  const pid = await start(
    async (sys) => {
      await sys.read("/work/a.txt");
      const { label } = await sys.self();
      await sys.remove("/work/a.txt");
      return label;
    },
    { isCow: false },
  );
  await vi.waitFor(async () => expect(await kernel.questions()).toHaveLength(1));
  const [question] = await kernel.questions();
  const isThere = existsSync(join(project, "a.txt"));
  await kernel.answer(question!.id, { by: "ann", choice: "approve" });
  const { output } = await kernel.wait(pid);

  expect(question!.about).toMatchObject({ rule: "kernel/red-destructive", colour: "RED" });
  expect([isThere, existsSync(join(project, "a.txt"))]).toEqual([true, false]);
  expect(output).toBe("untrusted/public");
});

test("a rule about the tool holds for the call", async () => {
  await kernel.close();
  const rules = [
    { id: "rest", allow: "*" },
    { id: "no-writing", deny: "tool:file.write" },
  ];
  const document = { version: 1, rules };
  kernel = await createKernel({
    programs: { worker: program },
    policy: [{ layer: "kernel", origin: "here", format: "policy", document }],
  });

  const { output } = await run((sys) => codeOf(sys.write("/work/a.txt", "x")));

  expect(output).toBe("EPOLICY");
});
