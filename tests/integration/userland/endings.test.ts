// How an agent ends on a real kernel: by its answer, by its own doubt, by going round in circles; and what
// its sub-agents may spend. Each run is replayed to the byte by the kernel for tests.

import { createScriptedModels, type ScriptText } from "@aos/drivers";
import type { ManifestText, Tool } from "@aos/protocol";
import { programs } from "@aos/userland";
import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf, manifest, TOOLS } from "../../helpers/kernel.ts";

const agent = programs["agent"]!.run;
type Scripts = Readonly<Record<string, ScriptText>>;

const given = (more: Partial<ManifestText>, name = "it") =>
  manifest(name, {
    program: "agent",
    model: "scripted/it",
    tools: ["look"],
    ...more,
    capabilities: [...TOOLS, "model:*:infer", ...(more.capabilities ?? [])],
  });

async function run(scripts: Scripts, more: Partial<ManifestText> = {}, tools: Tool[] = []) {
  const booted = await bootForTest({
    programs: { agent },
    models: [createScriptedModels({ folders: [], scripts })],
    tools,
    agents: (name) => {
      const model = `scripted/${name}`;
      return name in scripts ? { manifest: given({ model, tools: ["look"] }, name) } : undefined;
    },
  });
  const pid = await booted.kernel.spawn({ manifest: given(more), input: "go" });
  const ending = await booted.kernel.wait(pid);
  return { ...booted, pid, ending, records: await booted.kernel.journal(pid) };
}

test("a model that goes round in circles ends by SIGLOOP, which it needs no capability for", async () => {
  const { ending, records, runs } = await run({
    it: { turns: [{ when: {}, call: [{ tool: "look", args: { give: "x" } }] }] },
  });

  expect(ending).toMatchObject({
    state: "killed",
    exitCode: 130,
    error: { message: "ended by SIGLOOP" },
  });
  expect(runs).toHaveLength(4);
  expect(callsOf(records).slice(-2)).toEqual(["self ok", "signal ok"]);
});

test("a process may signal itself and its children, and no other without a capability", async () => {
  const { kernel } = await bootForTest({
    programs: {
      idle: async (sys) => sys.receive(),
      it: async (sys, other) => {
        const { pid } = await sys.self();
        return [
          await codeOf(sys.signal(pid, "SIGUSR2")),
          await codeOf(sys.signal(other as string, "SIGUSR2")),
        ];
      },
    },
  });
  const other = await kernel.spawn({ agent: "idle" });
  const pid = await kernel.spawn({ agent: "it", input: other });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "EACCES"]);
});

test("which model it was on stands in the journal", async () => {
  const { ending, records } = await run(
    {
      low: { turns: [{ say: "half", finish: "length" }] },
      high: { turns: [{ say: "whole" }] },
    },
    { model: ["scripted/low", "scripted/high"], escalate_on: ["cutoff"] },
  );

  expect(ending.output).toBe("whole");
  const models = records.flatMap((record) =>
    record.kind === "call" && record.call === "infer"
      ? [(record.args as { model: string }).model]
      : [],
  );
  expect(models).toEqual(["scripted/low", "scripted/high"]);
});

test.each([
  ["decline", 101, null],
  ["answer", 102, "Perhaps."],
] as const)(
  "less sure than it must be: %s is %i with %j, and why",
  async (below, exitCode, output) => {
    const { ending } = await run(
      { it: { turns: [{ say: "Perhaps.\nconfidence: 0.4" }] } },
      { confidence: { threshold: 0.7, below } },
    );

    expect(ending).toMatchObject({
      state: "failed",
      exitCode,
      output,
      error: {
        code: "EUPSTREAM",
        message: expect.stringMatching(
          /^the model is 0\.4 sure of its answer, and 0\.7 is asked for/,
        ),
      },
    });
  },
);

test("a sub-agent has the slice of the budget that it is given, and its parent is told how it ended", async () => {
  const helper = {
    turns: [
      { when: { turn: 3 }, say: "fine" },
      { when: {}, call: [{ tool: "look" }] },
    ],
  };
  const spawning = (budget: object) => ({
    turns: [
      {
        call: [{ tool: "agent.spawn", args: { agent: "helper", input: "look", budget } as never }],
      },
      { when: { tool: "agent.spawn" }, call: [{ tool: "agent.wait", args: { pid: "{{last}}" } }] },
      { when: { tool: "agent.wait" }, say: "{{last}}" },
    ],
  });
  const more = { tools: ["look", "agent.*"], capabilities: ["agent:helper:spawn"] };
  const endOf = async (budget: object) => {
    const { ending, kernel, pid, runs } = await run({ it: spawning(budget), helper }, more);
    const [child] = await kernel.list({ parent: pid });
    const told = JSON.parse(ending.output as string) as object;
    return { told, runs, limit: (await kernel.show(child!.pid)).budget.limit };
  };

  const enough = await endOf({ toolCalls: 2 });
  const tooLittle = await endOf({ toolCalls: 1 });

  expect(enough.told).toMatchObject({ state: "completed", output: "fine" });
  expect(enough.limit).toMatchObject({ toolCalls: 2 });
  expect([enough.runs.length, tooLittle.runs.length]).toEqual([2, 1]);
});

test("a picture that is longer than a result is shown whole", async () => {
  const data = Buffer.alloc(60_000, 7).toString("base64");
  const shoot: Tool = {
    name: "shoot",
    version: "1",
    description: "",
    input: {},
    effect: "read",
    label: { integrity: "trusted", secrecy: "public" },
    touches: () => [],
    run: async () => ({ mimeType: "image/png", base64: data, width: 1 }),
  };
  const { ending, kernel, pid } = await run(
    { it: { turns: [{ call: [{ tool: "shoot" }] }, { say: "{{last}}" }] } },
    { tools: ["shoot"], capabilities: ["tool:shoot:call"] },
    [shoot],
  );

  expect(ending.output).toBe('{"mimeType":"image/png","width":1}');
  const messages = await kernel.exportContext(pid);
  expect(messages.flatMap(({ attachments = [] }) => attachments)).toEqual([
    { mediaType: "image/png", data },
  ]);
});
