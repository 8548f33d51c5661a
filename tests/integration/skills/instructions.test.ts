// AGENTS.md: what a process reads of the instructions that hold for it, and whose they are.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json, Sys, Tool } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createSkillRegistry, trustAnyFolder } from "@aos/daemon/parts";
import { bootForTest, manifest } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  version: "1",
  description: "",
  input: {},
  effect: "read",
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run: async () => "done",
  ...more,
});

test("they are trusted, but for what a process wrote there that had read the untrusted", async () => {
  const top = mkdtempSync(join(tmpdir(), "aos-instructions-"));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const work = join(top, "work");
  mkdirSync(work);
  writeFileSync(join(top, "AGENTS.md"), "Of the agent.");
  writeFileSync(join(work, "AGENTS.md"), "Of the work.");
  const touched = { kind: "file", resource: join(work, "AGENTS.md"), verb: "write" };
  const forge = async (sys: Sys): Promise<Json> => {
    await sys.exec("web", {});
    return sys.exec("write", {});
  };
  const { kernel } = await bootForTest({
    programs: { forge, reads: async (sys) => sys.read("/self/instructions") },
    tools: [
      tool("web", { label: { integrity: "untrusted", secrecy: "public" } }),
      tool("write", { touches: () => [touched], effect: "idempotent" }),
    ],
    skills: createSkillRegistry({
      user: join(top, "none"),
      system: join(top, "none"),
      trusted: trustAnyFolder,
      trustsText: () => true,
    }),
    policy: allowBut(),
  });
  const run = async (program: string) => {
    const pid = await kernel.spawn({
      manifest: manifest(program, {
        capabilities: ["tool:web:call", "tool:write:call", `file:${top}/**:write`],
      }),
      folder: top,
      workspace: { folder: work, isCow: false },
    });
    const { output } = await kernel.wait(pid);
    return { output, integrity: (await kernel.show(pid)).labels.integrity };
  };

  const texts = ["Of the agent.", "Of the work."];
  expect(await run("reads")).toEqual({ output: texts, integrity: "trusted" });
  expect(await run("forge")).toMatchObject({ output: "done" });
  expect(await run("reads")).toEqual({ output: texts, integrity: "untrusted" });
});

test("without a provider that knows of any there are none", async () => {
  const { kernel } = await bootForTest({
    programs: { reads: async (sys) => sys.read("/self/instructions") },
  });

  expect((await kernel.wait(await kernel.spawn({ agent: "reads" }))).output).toEqual([]);
});
