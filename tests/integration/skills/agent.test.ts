// An agent with skills, on a real kernel and with the skills that come with the system.

import { join } from "node:path";
import { createScriptedModels, type ScriptText } from "@aos/drivers";
import type { Json, JournalRecord } from "@aos/protocol";
import { programs } from "@aos/userland";
import { expect, test } from "vitest";
import { createSkillRegistry, trustAnyFolder } from "@aos/daemon/parts";
import { bootForTest, manifest, TOOLS } from "../../helpers/kernel.ts";
import { providerOf, thinking } from "./skill-provider.ts";

const agentOf = (more: object) =>
  manifest("helper", { program: "agent", model: "thinking/it", ...more });

const agent = programs["agent"]!.run;

test("it is told of its skills, reads one and its file, and follows it", async () => {
  const { model, seen } = thinking(
    () => ({ tool: "skill.read", args: { name: "review-change" } }),
    (body) => ({
      tool: "skill.read",
      args: { name: "review-change", file: /`(references\/\S+)`/.exec(body)![1] },
    }),
    (checks) => (checks.includes("# Checks") ? "ready" : "?"),
  );
  const { kernel } = await bootForTest({
    programs: { agent },
    models: [model],
    skills: createSkillRegistry({
      user: join("/", "nowhere"),
      trusted: trustAnyFolder,
      trustsText: () => true,
    }),
  });
  const given = agentOf({
    system: "Be brief.",
    skills: ["review-*"],
    capabilities: ["model:*:infer"],
  });
  const pid = await kernel.spawn({ manifest: given, input: "Review this." });

  expect((await kernel.wait(pid)).output).toBe("ready");
  expect(seen[0]!.tools).toEqual(["skill.read"]);
  const { role, content } = seen[0]!.messages[0]!;
  expect(role).toBe("system");
  expect(content).toMatch(/^Be brief\.\n\nYou have skills: /);
  expect(content).toContain("- review-change: Reviews a change to code");
  expect(content).not.toContain("write-skill");
  expect(seen[1]!.messages.at(-1)!.content).toContain("# Review a change");
  expect(pathsRead(await kernel.journal(pid))).toEqual([
    "/self/manifest",
    "/self/instructions",
    "/self/skills",
    "/self/tools",
    "/skills/review-change/SKILL.md",
    "/self/narrowing",
    "/skills/review-change/references/checks.md",
    "/self/narrowing",
  ]);
});

test("once it has read a skill it is shown only what is left, and others are refused", async () => {
  const { model, seen } = thinking(
    () => ({ tool: "skill.read", args: { name: "strict" } }),
    () => ({ tool: "set", args: {} }),
    () => ({ tool: "memory.write", args: { path: "/mem/working/x", value: 1 } }),
    () => ({ tool: "look", args: {} }),
    (last) => last,
  );
  const { kernel, runs } = await bootForTest({
    programs: { agent },
    models: [model],
    skills: providerOf({ strict: { allowedTools: ["look"] } }),
  });
  const given = agentOf({
    skills: ["*"],
    tools: ["look", "set", "memory.*"],
    capabilities: [...TOOLS, "model:*:infer", "memory:/mem/**:read,write"],
  });
  const pid = await kernel.spawn({ manifest: given, input: "Go." });

  expect((await kernel.wait(pid)).output).toBe("done");
  expect(seen[0]!.tools).toContain("memory.write");
  expect(seen[1]!.tools).toEqual(["look", "result.read", "skill.read"]);
  expect(seen[2]!.messages.at(-1)!.content).toBe(
    "EPOLICY: the skill strict does not allow set\nhint: since it was read these are left: look",
  );
  expect(seen[3]!.messages.at(-1)!.content).toContain("does not allow memory.write");
  expect(runs.map(({ tool }) => tool)).toEqual(["look"]);
});

test("a scripted model can do the same", async () => {
  const script: ScriptText = {
    turns: [
      { call: [{ tool: "skill.read", args: { name: "greet" } }] },
      { when: { tool: "skill.read", contains: "Say: hello" }, say: "hello {{input}}" },
    ],
  };
  const { kernel } = await bootForTest({
    programs: { agent },
    models: [createScriptedModels({ folders: [], scripts: { it: script } })],
    skills: providerOf({ greet: { files: { "SKILL.md": "Say: hello, and the name." } } }),
  });
  const given = agentOf({
    model: "scripted/it",
    skills: ["greet"],
    capabilities: ["model:*:infer"],
  });
  const pid = await kernel.spawn({ manifest: given, input: "Ada" });

  expect((await kernel.wait(pid)).output).toBe("hello Ada");
});

const pathsRead = (records: readonly JournalRecord[]): Json[] =>
  records.flatMap((record) =>
    record.kind === "call" && record.call === "read"
      ? [(record.args as { path: string }).path]
      : [],
  );
