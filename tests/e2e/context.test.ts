// The context of an agent as people see it: the command line on a real daemon.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContextReport, Message } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

let project: TestProject;

const script = `turns:
  - call: [{ tool: echo, args: { text: "one" } }]
  - say: "done"
`;
const agent = `apiVersion: aos/v1
kind: Agent
name: talker
model: scripted/talk
system: Be brief.
tools: [echo]
capabilities: ["model:scripted/*:infer", "tool:echo:call"]
`;

beforeAll(async () => {
  project = createTestProject();
  writeFileSync(join(project.folder, "talker.yaml"), agent);
  mkdirSync(join(project.folder, "scripts"), { recursive: true });
  writeFileSync(join(project.folder, "scripts", "talk.yaml"), script);
  expect((await project.aos("run", "talker.yaml", "-i", "Say one.")).code).toBe(0);
});
afterAll(() => project.remove());

test("ctx show lists what its model was shown, now and at a record", async () => {
  const report = (await project.aos("ctx", "show", "@last", "-o", "json")).json() as ContextReport;
  const { stdout } = await project.aos("ctx", "show", "@last");
  const before = (await project.aos("ctx", "show", "@last", "--at", "0", "-o", "json")).json();

  expect(report).toMatchObject({ model: "scripted/talk", compactions: 0, nextUsd: null });
  expect(report.tokens).toBeGreaterThan(0);
  expect(report.blocks.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
  expect(report.blocks[2]!.toolCalls).toEqual(["echo"]);
  expect(stdout).toMatch(/model +scripted\/talk\n/);
  expect(stdout).toMatch(/\n[0-9a-f]{12} +user +\d+ +Say one\.\n/);
  expect(before).toMatchObject({ model: null, blocks: [] });
});

test("ctx export prints the messages", async () => {
  const { stdout } = await project.aos("ctx", "export", "@last");

  const messages = JSON.parse(stdout) as Message[];
  expect(messages.slice(0, 2)).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "Say one." },
  ]);
  expect(messages[3]).toMatchObject({ role: "tool", content: expect.stringContaining("one") });
});

test("ctx compact is for the living", async () => {
  const { code, stderr } = await project.aos("ctx", "compact", "@last");

  expect(code).toBe(1);
  expect(stderr).toContain("has ended");
});
