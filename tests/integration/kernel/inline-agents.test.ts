// Children with an inline manifest: whoever spawns them says what they are, and gives them nothing that it has not.

import type { Json, ManifestText, ModelDriver, Sys } from "@aos/protocol";
import { programs as shipped } from "@aos/userland";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";

const inline = (name: string, more: Partial<ManifestText> = {}) => ({
  manifest: { apiVersion: "aos/v1", kind: "Agent", name, program: "pays", ...more } as ManifestText,
});

/** A child by name is the agent that the host finds. */
const spawns = async (sys: Sys) => (await sys.wait(await sys.spawn("pays", null))).output;

const waits = async (sys: Sys) => {
  await sys.receive();
  return codeOf(sys.exec("pay", {}));
};

const programs = {
  pays: async (sys: Sys) => codeOf(sys.exec("pay", {})),
  parent: async (sys: Sys, input: Json) => {
    const { name, capabilities } = input as { name: string; capabilities: string[] };
    const pid = await sys.spawn(inline(name, { capabilities }), null, { step: "one" });
    return (await sys.wait(pid)).output;
  },
};

async function run(capabilities: string[], name = "helper", wanted = ["tool:pay:call"]) {
  const booted = await bootForTest({ programs });
  const input = { name, capabilities: wanted };
  const pid = await booted.kernel.spawn({ agent: "parent", input, capabilities });
  return { ...booted, pid, ending: await booted.kernel.wait(pid) };
}

test("an inline manifest gives a child what its parent holds", async () => {
  const { ending, kernel, pid } = await run(["agent:inline/helper:spawn", "tool:pay:call"]);

  expect(ending.output).toBe("ok");
  const [child] = await kernel.list({ parent: pid });
  expect(child).toMatchObject({ agent: "inline/helper", state: "completed" });
  expect(await kernel.manifest(child!.pid)).toMatchObject({ manifest: { name: "helper" } });
});

test("it gives nothing that the parent does not hold", async () => {
  const { ending, runs } = await run(["agent:inline/*:spawn"]);

  expect(ending.output).toBe("EACCES");
  expect(runs).toEqual([]);
});

test("the right to spawn a registered agent of the same name is none to spawn an inline one", async () => {
  const { ending, kernel } = await run(["agent:helper:spawn", "tool:pay:call"]);

  expect(ending.error).toMatchObject({ code: "EACCES" });
  expect(ending.error!.message).toContain("inline/helper");
  expect(await kernel.list()).toHaveLength(1);
});

test("what stands for an agent is no inline agent's of its name (STANDING-8)", async () => {
  const { kernel } = await bootForTest({ programs });
  const capabilities = ["tool:pay:call"];
  await kernel.grant({ agent: "helper" }, { capabilities, by: "alice" });
  await kernel.grant({ agent: "inline/helper" }, { capabilities, by: "alice" }).catch(() => {});

  const spawned = { agent: "parent", capabilities: ["agent:*:spawn"] };
  const pid = await kernel.spawn({ ...spawned, input: { name: "helper", capabilities } });

  expect((await kernel.wait(pid)).output).toBe("EACCES");
});

test("SPACE-4: what a person gives an agent by its name is not for a manifest that calls itself so", async () => {
  const { kernel } = await bootForTest({ programs: { ...programs, spawns } });
  const capabilities = ["tool:pay:call"];
  await kernel.grant({ agent: "pays" }, { capabilities, by: "alice" });
  const ends = async (request: Parameters<typeof kernel.spawn>[0]) =>
    (await kernel.wait(await kernel.spawn(request))).output;
  const { manifest } = inline("pays");

  expect(await ends({ agent: "pays" })).toBe("ok");
  expect(await ends({ agent: "spawns", capabilities: ["agent:pays:spawn"] })).toBe("ok");
  expect(await ends({ manifest })).toBe("EACCES");
  expect(await ends({ manifest, folder: tmpdir() })).toBe("EACCES");
});

test("SPACE-4: a grant that is given later is not for a living namesake either", async () => {
  const { kernel } = await bootForTest({ programs: { waits } });
  const { manifest } = inline("waits", { program: "waits" });
  const pids = [await kernel.spawn({ agent: "waits" }), await kernel.spawn({ manifest })];

  await kernel.grant({ agent: "waits" }, { capabilities: ["tool:pay:call"], by: "alice" });
  for (const pid of pids) await kernel.send(pid, "go");

  const outputs = await Promise.all(pids.map(async (pid) => (await kernel.wait(pid)).output));
  expect(outputs).toEqual(["ok", "EACCES"]);
});

test("an inline manifest is read as strictly as any, and starts no program of the machine", async () => {
  const { kernel } = await bootForTest({
    programs: {
      ...programs,
      tries: async (sys: Sys) => [
        await codeOf(sys.spawn(inline("a", { colour: "red" } as never), null)),
        await codeOf(sys.spawn(inline("a/b"), null)),
        await codeOf(sys.spawn(inline("a", { command: ["sh"] }), null)),
        await codeOf(sys.spawn(inline("a", { capabilities: ["nonsense"] }), null)),
        await codeOf(sys.spawn({ manifest: [] as never }, null)),
      ],
    },
  });

  const pid = await kernel.spawn({ agent: "tries", capabilities: ["agent:*:spawn"] });

  expect((await kernel.wait(pid)).output).toEqual(Array.from({ length: 5 }, () => "EINVAL"));
});

test("a model describes a child by agent.create, and proposes a grant by person.propose", async () => {
  const calls = [
    { tool: "agent.create", args: { manifest: { name: "helper", program: "pays" }, input: null } },
    { tool: "person.propose", args: { question: "to pay", capabilities: ["tool:pay:call"] } },
  ];
  const driver: ModelDriver = {
    provider: "fake",
    egress: false,
    worstCase: () => ({ usd: 0, tokens: 1 }),
    infer: async () => {
      const call = calls.shift();
      const toolCalls = call === undefined ? [] : [{ id: call.tool, ...call }];
      const finish = call === undefined ? "stop" : "tool";
      return {
        text: "done",
        toolCalls,
        finish,
        usage: { inputTokens: 1, outputTokens: 1 },
        usd: 0,
      };
    },
  };
  const agent = shipped["agent"]!.run;
  const { kernel } = await bootForTest({ programs: { ...programs, agent }, models: [driver] });
  const manifest: ManifestText = {
    apiVersion: "aos/v1",
    kind: "Agent",
    name: "staffs",
    model: "fake/one",
    tools: ["agent.create", "person.propose"],
    capabilities: ["model:fake/*:infer", "agent:inline/*:spawn"],
  };

  const pid = await kernel.spawn({ manifest, input: "go" });
  await until(async () => (await kernel.questions()).length === 1, "the proposal");
  const [question] = await kernel.questions();
  await kernel.answer(question!.id, { by: "alice", choice: "approve" });

  expect((await kernel.wait(pid)).state).toBe("completed");
  expect((await kernel.list({ parent: pid })).map(({ agent: name }) => name)).toEqual([
    "inline/helper",
  ]);
  expect(question).toMatchObject({ kind: "proposal" });
  expect(JSON.stringify(await kernel.power({ pid }))).toContain("tool:pay:call");
});

test("check says what of an inline manifest its process could not give", async () => {
  const { kernel } = await bootForTest({
    programs: {
      asks: async (sys: Sys) =>
        (await sys.check("spawn", {
          manifest: {
            name: "a",
            capabilities: ["tool:pay:call", "file:/work/a/**:read", "file:/etc/**:read"],
          },
          input: null,
        })) as never,
    },
  });
  const capabilities = ["agent:*:spawn", "tool:*:call", "file:/work/**:read"];

  const pid = await kernel.spawn({ agent: "asks", capabilities });

  expect((await kernel.wait(pid)).output).toEqual({ allow: true, beyond: ["file:/etc/**:read"] });
});
