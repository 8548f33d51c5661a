// A run that was becomes a test that passes at once, and fails when something of it changes.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Kernel } from "@aos/kernel";
import {
  isEnded,
  type Json,
  type ManifestText,
  type ModelDriver,
  type Program,
  type Tool,
} from "@aos/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createKernel } from "@aos/daemon";
import {
  TestEnvironment,
  type TestEnvironmentOptions,
  recordTest,
  type RecordTestOptions,
  runTest,
  readTestFile,
  parseYaml,
} from "@aos/daemon/parts";

const SECRET = "s3cr3t-value-0123456789";

let folder: string;
let kernel: Kernel;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "aos-record-"))));
afterEach(async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

const write = (path: string, text: string): string => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

/** A model that costs money and answers in the order in which it is asked. */
const paidModel = (replies: readonly (string | { tool: string; args: Json })[]): ModelDriver => {
  let asked = 0;
  return {
    provider: "vendor",
    egress: true,
    worstCase: () => ({ usd: 0.01, tokens: 100 }),
    infer: async () => {
      const reply = replies[asked++];
      if (reply === undefined) throw new Error("the line is down");
      const isText = typeof reply === "string";
      return {
        text: isText ? reply : "",
        toolCalls: isText ? [] : [{ id: `c${asked}`, ...reply }],
        finish: isText ? "stop" : "tool",
        usage: { inputTokens: 20, outputTokens: 30 },
        usd: 0.005,
      };
    },
  };
};

const bank = (name: string, label?: Tool["label"]): Tool => ({
  name,
  version: "1",
  description: "a bank",
  input: {},
  effect: "external",
  touches: () => [],
  run: async (args) => ({ told: args, note: SECRET }),
  ...(label === undefined ? {} : { label }),
});

const manifest: ManifestText = {
  apiVersion: "aos/v1",
  kind: "Agent",
  name: "teller",
  model: "vendor/large",
  system: "You pay bills.",
  tools: ["file.read", "look", "pay"],
  capabilities: ["model:vendor/*:infer", "tool:*:call", "file:/work/**:read"],
  budget: { wall: "10m", usd: 1 },
};

const trusted = { integrity: "trusted", secrecy: "public" } as const;

async function ran(
  replies: Parameters<typeof paidModel>[0],
  how: Partial<Parameters<Kernel["spawn"]>[0]> & { programs?: Record<string, Program> } = {},
): Promise<string> {
  const { programs, ...request } = how;
  kernel = await createKernel({
    models: [paidModel(replies)],
    tools: [bank("look", trusted), bank("pay")],
    secretKey: "00".repeat(32),
    ...(programs === undefined ? {} : { programs }),
  });
  await kernel.setSecret({ name: "BANK", value: SECRET, bindings: [] }, "ada");
  const pid = await kernel.spawn({ manifest, folder, input: "pay ada", ...request });
  await endWithDenials(pid);
  return pid;
}

/** Waits for its end, and says no to whatever is asked meanwhile. */
async function endWithDenials(pid: string): Promise<void> {
  while (!isEnded((await kernel.wait(pid, { timeoutMs: 10 })).state))
    for (const { id } of await kernel.questions())
      await kernel.answer(id, { by: "ada", choice: "deny" });
  await kernel.wait(pid);
}

async function record(
  pid: string,
  given: RecordTestOptions = {},
  options: TestEnvironmentOptions = {},
) {
  await using environment = new TestEnvironment(options);
  const where = join(folder, ".agents/tests");
  const recorded = await recordTest(
    kernel,
    pid,
    { name: "it", folder: where, ...given },
    environment,
  );
  write(".agents/tests/it.recording.yaml", recorded.script);
  return { ...recorded, file: write(".agents/tests/it.test.yaml", recorded.text) };
}

async function problemsOf(
  file: string,
  options: TestEnvironmentOptions = {},
): Promise<readonly string[]> {
  await using environment = new TestEnvironment(options);
  return (await runTest(readTestFile(file)[0]!, environment)).problems;
}

const replaceIn = (text: string, from: string, to: string): string => {
  expect(text).toContain(from);
  return text.replace(from, to);
};

const PAYS = [
  { tool: "look", args: { account: 1 } },
  { tool: "pay", args: { to: "ada", usd: 5 } },
  { tool: "pay", args: { to: "bob", usd: 6 } },
  "Paid one of the two.",
];

test("all that happened is in the test, and no secret", async () => {
  const { text, script, file } = await record(await ran(PAYS));

  const [test_] = (parseYaml(text, "it").written as { tests: { [name: string]: Json }[] }).tests;
  expect(test_).toMatchObject({
    agent: { name: "teller", model: "vendor/large", budget: { wall: "600000ms", usd: 1 } },
    input: "pay ada",
    label: "trusted/public",
    replay: "it.recording.yaml",
    approvals: [{ tool: "pay", answer: "deny", times: 1 }],
    expect: {
      state: "completed",
      exitCode: 0,
      output: { equals: "Paid one of the two." },
      calls: [
        { tool: "look", args: { account: 1 }, outcome: "ok" },
        { tool: "pay", args: { to: "ada", usd: 5 }, outcome: "ok" },
        { tool: "pay", args: { to: "bob", usd: 6 }, outcome: "refused" },
      ],
      refused: [{ tool: "pay", code: "EDENIED" }],
      infers: 4,
      cost: { maxUsd: 0.02, maxTokens: 200, maxToolCalls: 2 },
      label: "untrusted/public",
    },
  });
  expect(text + script).not.toContain(SECRET);
  expect(await problemsOf(file)).toEqual([]);
});

test("what became a secret after the run is not in the test", async () => {
  const pid = await ran([{ tool: "look", args: { code: "late-secret-0123456789" } }, "done"]);
  const value = "late-secret-0123456789";
  await kernel.setSecret({ name: "LATE", value, bindings: [] }, "ada");

  const { text, script, file } = await record(pid);

  expect(text + script).not.toContain(value);
  expect(await problemsOf(file)).toEqual([]);
});

describe("the recorded test fails when", () => {
  test("a rule denies what it did", async () => {
    const { file } = await record(await ran(PAYS));
    write(
      ".agents/policy.yaml",
      'version: 1\nrules:\n  - { id: rest, allow: "*" }\n  - { id: no-look, deny: "tool:look" }\n',
    );

    const told = (await problemsOf(file)).join("\n");
    expect(told).toContain("look");
    expect(told).toContain("no-look");
  });

  test("what asked a person does so no longer", async () => {
    const { file } = await record(await ran(PAYS));
    const allows = { version: 1, rules: [{ id: "all", allow: "*" }] };
    const lax = { layer: "kernel", origin: "lax", format: "policy" as const, document: allows };

    expect((await problemsOf(file, { policy: [lax] })).join("\n")).toContain("pay was called with");
  });

  test("the prompt is another", async () => {
    const agent = write("agent.yaml", JSON.stringify(manifest));
    const { file } = await record(await ran(PAYS), { agent });
    expect(await problemsOf(file)).toEqual([]);
    write("agent.yaml", JSON.stringify({ ...manifest, system: "You pay nobody." }));

    const told = await problemsOf(file);
    expect(told[0]).toContain("requests: request 1 to the model is not what was recorded");
  });

  test("the agent may do less", async () => {
    const agent = write("agent.yaml", JSON.stringify(manifest));
    const { file } = await record(await ran(PAYS), { agent });
    const capabilities = ["model:vendor/*:infer", "tool:pay:call"];
    write("agent.yaml", JSON.stringify({ ...manifest, capabilities }));

    expect((await problemsOf(file)).join("\n")).toContain("EACCES");
  });

  test("a tool says something else than it did", async () => {
    const { file, text } = await record(await ran(PAYS));
    write(".agents/tests/it.test.yaml", replaceIn(text, "account: 1", "account: 2"));

    expect(await problemsOf(file)).not.toEqual([]);
  });
});

test("results and arguments that the journal keeps apart are in it whole", async () => {
  const long = "x".repeat(10_000);
  const { file, text } = await record(await ran([{ tool: "look", args: { long } }, "done"]));

  expect(text).toContain(long);
  expect(text).not.toContain("$blob");
  expect(await problemsOf(file)).toEqual([]);
});

test("failures of the model and the tools, and an answer that is none, are had again", async () => {
  const made = { tool: "file.made_up", args: {} };
  const bad = { tool: "file.read", args: { path: "/work/gone.txt" } };
  const pid = await ran([made, bad]); // and then the model has nothing more to say, and throws
  const { file } = await record(pid);

  expect((await kernel.show(pid)).state).toBe("failed");
  expect(await problemsOf(file)).toEqual([]);
});

test("what narrowed it, what it was sent and what a person said is had again", async () => {
  const programs: Record<string, Program> = {
    talks: async (sys) => [
      (await sys.receive()).body,
      await sys.ask("Which?", { choices: ["deny"] }),
    ],
  };
  const talks = {
    ...manifest,
    program: "talks",
    capabilities: ["message:*:receive", "tool:*:call"],
  };
  kernel = await createKernel({ programs });
  const capabilities = ["message:*:receive"];
  const pid = await kernel.spawn({
    manifest: talks,
    folder,
    capabilities,
    budget: { toolCalls: 3 },
  });
  await kernel.send(pid, "hello", { type: "word" });
  await endWithDenials(pid);

  const { text, file } = await record(pid, {}, { programs });

  expect(parseYaml(text, "it").written).toMatchObject({
    tests: [
      {
        capabilities,
        budget: { toolCalls: 3 },
        messages: [{ body: "hello", type: "word" }],
        approvals: [{ question: "Which?", answer: "deny", times: 1 }],
      },
    ],
  });
  expect(await problemsOf(file, { programs })).toEqual([]);
});

describe("refused, with the reason, is", () => {
  const programs: Record<string, Program> = {
    clock: (sys) => sys.now(),
    parent: async (sys) => (await sys.wait(await sys.spawn("clock", null))).state,
    waits: async (sys) => (await sys.receive()).body,
  };
  const run = async (program: string) => {
    kernel = await createKernel({ programs });
    const capabilities = ["message:*:receive", "agent:*:spawn"];
    return kernel.spawn({ manifest: { ...manifest, program, capabilities }, folder });
  };

  test("a run that is not over", async () => {
    await expect(record(await run("waits"))).rejects.toMatchObject({
      code: "ESTATE",
      message: expect.stringContaining("cannot become a test: it is"),
    });
  });

  test("a run that started other agents is refused", async () => {
    const pid = await run("parent");
    await kernel.wait(pid);

    await expect(record(pid)).rejects.toMatchObject({
      message: expect.stringContaining("it started another agent, agt_"),
      hint: expect.stringContaining("aos test record agt_"),
    });
  });

  test("one that cannot be had again: it is tried before it is handed out", async () => {
    const pid = await run("clock");
    await kernel.wait(pid);

    await expect(record(pid, {}, { programs })).rejects.toMatchObject({
      code: "ESTATE",
      message: expect.stringContaining("the run cannot be had again: output is"),
    });
  });
});
