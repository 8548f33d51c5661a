// A yes is for what will run: the code behind a tool's name, the project, the workspace, and the bytes of a
// script that is named. When anything of that changes, it is asked about again.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kernel, KernelOptions } from "@aos/kernel";
import type { Json, Sys, Tool, ToolProvider } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createInspector, createWorkspaces } from "@aos/drivers";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";
import { batchOf, openOf, policyOf } from "./asking.ts";

const TOOLS = ["tool:sh:call"];
const ASK = policyOf({ id: "ask-sh", ask: "tool:sh" });

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "aos-runs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const shopOf = () => ({
  workspaces: createWorkspaces({ folder: folderWith({}), ttlMs: 1000, maxBytes: 1e9 }),
  private: [],
});

/** A tool that says what is in the script that it is given, instead of running it. */
const shOf = (ran: string[], more: Partial<Tool> = {}): Tool => ({
  name: "sh",
  version: "1",
  description: "runs a script",
  input: {},
  effect: "external",
  sandbox: "process",
  sinks: () => ["destructive"],
  touches: () => [],
  label: { integrity: "trusted", secrecy: "public" },
  run: async (args, { workspace }) => {
    const { script = "" } = args as { script?: string };
    ran.push(readFileSync(join(workspace.folder ?? "/", script), "utf8"));
    return "done";
  },
  ...more,
});

const runner = async (sys: Sys, input: Json): Promise<string[]> => {
  const codes = [];
  for (const args of input as Json[]) codes.push(await codeOf(sys.exec("sh", args)));
  return codes;
};

async function bootRunner(options: Omit<Partial<KernelOptions>, "programs" | "store"> = {}) {
  const ran: string[] = [];
  const booted = await bootForTest({
    policy: ASK,
    tools: [shOf(ran)],
    inspector: createInspector(shopOf()),
    programs: { runner },
    tenants: { other: { ceiling: "none" } },
    ...options,
  });
  return { ...booted, ran };
}

const start = (
  kernel: Kernel,
  input: Json,
  { folder, isCow = false, tenant }: { folder?: string; isCow?: boolean; tenant?: string } = {},
) =>
  kernel.spawn({
    agent: "runner",
    capabilities: TOOLS,
    input,
    ...(folder === undefined ? {} : { workspace: { folder, isCow } }),
    ...(tenant === undefined ? {} : { tenant }),
  });

const CLEAN = { script: "clean.sh" };
const yes = (kernel: Kernel, id: string, always = false) =>
  kernel.answer(id, { by: "ann", choice: "approve", ...(always ? { always } : {}) });

test("the question shows the tool, the program, the workspace and the script with its digest", async () => {
  const { kernel } = await bootRunner();
  const folder = folderWith({ "clean.sh": "echo 1" });
  const pid = await start(kernel, [CLEAN], { folder });

  const [question] = await openOf(kernel, 1);

  expect(question!.about!.runs).toMatchObject({
    tool: { name: "sh", version: "1", digest: null },
    program: "runner",
    manifest: (await kernel.show(pid)).manifestHash,
    workspace: { kind: "direct", folder },
    files: [{ path: "/work/clean.sh", digest: expect.stringMatching(/^sha256:/), bytes: 6 }],
  });
  await kernel.signal(pid, "SIGKILL");
});

test("the same script in a real folder and in a throw-away copy are two questions", async () => {
  const { kernel } = await bootRunner();
  const folder = folderWith({ "clean.sh": "rm -rf build" });
  const pids = [
    await start(kernel, [CLEAN], { folder }),
    await start(kernel, [CLEAN], { folder, isCow: true }),
    await start(kernel, [CLEAN]),
  ];

  const questions = await openOf(kernel, 3);

  expect(new Set(questions.map(({ about }) => about!.runs!.workspace.kind))).toEqual(
    new Set(["direct", "copy", "private"]),
  );
  for (const pid of pids) await kernel.signal(pid, "SIGKILL");
});

test("two projects, two tenants and two manifests are never one question; the same twice is", async () => {
  const { kernel } = await bootRunner();
  const [one, two] = [folderWith({ "clean.sh": "a" }), folderWith({ "clean.sh": "a" })];
  await start(kernel, [CLEAN], { folder: one });
  await start(kernel, [CLEAN], { folder: two });
  await start(kernel, [CLEAN], { folder: one, tenant: "other" });
  const manifest = { apiVersion: "aos/v1", kind: "Agent", name: "runner" } as const;
  await kernel.spawn({
    manifest: { ...manifest, program: "runner", description: "another", capabilities: TOOLS },
    input: [CLEAN],
    workspace: { folder: one, isCow: false },
  });

  await openOf(kernel, 4);
  await start(kernel, [CLEAN], { folder: one });

  await until(
    async () => (await kernel.questions()).some(({ count }) => count === 2),
    "the same in one line",
  );
  expect((await kernel.questions()).length).toBe(4);
  for (const { pid } of await kernel.list({})) await kernel.signal(pid, "SIGKILL");
});

test("other code behind the same name is another question, and a yes to the old is none to the new", async () => {
  let code = "v1";
  const ran: string[] = [];
  const provider: ToolProvider = {
    prepare: async () => {},
    mayComeToBe: (name) => name === "sh",
    tools: ({ folders }) => [
      shOf(ran, {
        source: "project",
        identity: async () => `${folders[0]} ${code}`,
        run: async () => ran.push(code),
      }),
    ],
  };
  const { kernel } = await bootRunner({ toolProvider: provider, tools: [] });
  const [a, b] = [folderWith({}), folderWith({})];
  const first = await start(kernel, [{}], { folder: a });
  const second = await start(kernel, [{}], { folder: b });
  const [one, two] = await openOf(kernel, 2);
  await kernel.answer(two!.id, { by: "ann", choice: "deny" });

  code = "v2";
  await yes(kernel, one!.id);
  const [again] = await openOf(kernel, 1);

  expect(ran).toEqual([]);
  expect(again!.pid).toBe(one!.pid);
  expect(again!.about!.runs!.tool!.digest).toContain("v2");
  await yes(kernel, again!.id);
  for (const pid of [first, second]) await kernel.wait(pid);
  expect(ran).toEqual(["v2"]);
});

test("a script that was swapped between question and yes is asked about again, also through a link", async () => {
  const { kernel, ran } = await bootRunner();
  const folder = folderWith({ "real.sh": "harmless" });
  symlinkSync("/work/real.sh", join(folder, "link.sh"));
  mkdirSync(join(folder, "sub"));
  for (const script of ["real.sh", "link.sh", "sub/../real.sh"]) {
    writeFileSync(join(folder, "real.sh"), "harmless");
    const pid = await start(kernel, [{ script: "./", note: `sh -e ${script}` }], { folder });
    const [first] = await openOf(kernel, 1);

    writeFileSync(join(folder, "real.sh"), "rm -rf /");
    await yes(kernel, first!.id);
    await until(
      async () => (await kernel.questions()).some(({ id }) => id !== first!.id),
      "another question",
    );
    const [second] = await kernel.questions();

    expect(ran).toEqual([]);
    expect(second!.about!.runs!.files).not.toEqual(first!.about!.runs!.files);
    await kernel.answer(second!.id, { by: "ann", choice: "deny" });
    expect((await kernel.wait(pid)).output).toEqual(["EDENIED"]);
  }
});

test("of two that were one question, the one whose script changed is asked about again", async () => {
  const { kernel, ran } = await bootRunner();
  const folder = folderWith({ "clean.sh": "same" });
  const one = await start(kernel, [CLEAN], { folder });
  const two = await start(kernel, [CLEAN], { folder });
  const line = await batchOf(kernel, 2);

  writeFileSync(join(folder, "clean.sh"), "other");
  await yes(kernel, line.id);
  const both = await batchOf(kernel, 2);

  expect(ran).toEqual([]);
  await yes(kernel, both.id);
  for (const pid of [one, two]) await kernel.wait(pid);
  expect(ran).toEqual(["other", "other"]);
});

test("a yes that was given while the process was rows is for the bytes of then", async () => {
  const first = await bootRunner({ unloadAfterMs: 0 });
  const folder = folderWith({ "clean.sh": "before" });
  const pid = await start(first.kernel, [CLEAN], { folder });
  const [question] = await openOf(first.kernel, 1);
  const { kernel } = await first.crash();

  writeFileSync(join(folder, "clean.sh"), "after");
  await yes(kernel, question!.id);
  await until(
    async () => (await kernel.questions()).some(({ id }) => id !== question!.id),
    "another question",
  );

  expect(first.ran).toEqual([]);
  // Back to what the first yes was for: the last question counts, and that was answered with a no.
  const [again] = await kernel.questions();
  writeFileSync(join(folder, "clean.sh"), "before");
  await kernel.answer(again!.id, { by: "ann", choice: "deny" });
  const isAsked = async () =>
    (await kernel.questions()).length > 0 || (await kernel.show(pid)).exitCode !== null;
  await until(isAsked, "another question, or the end");
  for (const { id } of await kernel.questions())
    await kernel.answer(id, { by: "ann", choice: "deny" });
  expect((await kernel.wait(pid)).output).toEqual(["EDENIED"]);
  expect(first.ran).toEqual([]);
});

test("what is asked anew after a restart withdraws the old question, and an open old one is not acted on", async () => {
  const first = await bootRunner();
  const folder = folderWith({ "clean.sh": "before" });
  const pid = await start(first.kernel, [CLEAN], { folder });
  const [question] = await openOf(first.kernel, 1);
  writeFileSync(join(folder, "clean.sh"), "after");

  const { kernel } = await first.crash();
  await kernel.send(pid, "anything"); // it is loaded, and comes to its call again
  await until(
    async () => (await kernel.questions()).some(({ id }) => id !== question!.id),
    "another question",
  );
  await until(async () => (await kernel.questions()).length === 1, "only the new one");

  await expect(yes(kernel, question!.id)).rejects.toMatchObject({ code: "ESTATE" });
  const [again] = await kernel.questions();
  await yes(kernel, again!.id);
  expect((await kernel.wait(pid)).output).toEqual(["ok"]);
  expect(first.ran).toEqual(["after"]);
});

test("a fork of an approved process is asked about itself", async () => {
  const { kernel, ran } = await bootRunner();
  const folder = folderWith({ "clean.sh": "once" });
  const pid = await start(kernel, [CLEAN], { folder });
  const [question] = await openOf(kernel, 1);
  await yes(kernel, question!.id);
  await kernel.wait(pid);

  const forked = await kernel.fork(pid, { at: 0 });
  const [again] = await openOf(kernel, 1);

  expect(ran).toEqual(["once"]);
  expect(again!.pid).toBe(forked);
  await kernel.answer(again!.id, { by: "ann", choice: "deny" });
  await kernel.wait(forked);
});
