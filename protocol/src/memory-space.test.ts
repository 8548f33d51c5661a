import { expect, test } from "vitest";
import { isAgentMemory, judgedPath, spacePath, storedPath, TENANT_SPACE } from "./memory-space.ts";

test.each([
  ["/mem/semantic", "/mem/agents/a/semantic"],
  ["/mem/episodic/x/y", "/mem/agents/a/episodic/x/y"],
  ["/mem/agents/b/semantic/x", "/mem/agents/b/semantic/x"],
  ["/mem/semantics/x", "/mem/semantics/x"],
  ["/mem/shared/semantic/x", "/mem/shared/semantic/x"],
  ["/mem/working/x", "/mem/working/x"],
  [`/mem/agents/${TENANT_SPACE}/semantic/x`, "/mem/semantic/x"],
])("%s of the space a is stored as %s", (path, stored) => {
  expect(storedPath(path, "a")).toBe(stored);
});

test("a process of no space has the files from before there were spaces, where they are (MEMORY-SPACE-2)", () => {
  expect(storedPath("/mem/semantic/x", undefined)).toBe("/mem/semantic/x");
  expect(judgedPath(`/mem/agents/${TENANT_SPACE}/semantic/x`, undefined)).toBe("/mem/semantic/x");
});

test.each([
  ["/mem/agents/a/semantic/x", "/mem/semantic/x"],
  ["/mem/agents/a/episodic", "/mem/episodic"],
  ["/mem/agents/a", "/mem/agents/a"],
  ["/mem/agents/a/other/x", "/mem/agents/a/other/x"],
  ["/mem/agents/ab/semantic/x", "/mem/agents/ab/semantic/x"],
  ["/mem/agents/a~b/semantic/x", "/mem/agents/a~b/semantic/x"],
  ["/mem/semantic/x", "/mem/semantic/x"],
])("%s is judged for the space a as %s (MEMORY-SPACE-1)", (path, judged) => {
  expect(judgedPath(path, "a")).toBe(judged);
});

test("what is stored of a judged path is what is stored of the path", () => {
  for (const part of ["semantic", "episodic"] as const) {
    const path = `${spacePath("a", part)}/x`;
    expect(storedPath(judgedPath(path, "a"), "a")).toBe(storedPath(path, "a"));
  }
});

test("the folder of the spaces is memory of agents, and a name that begins like it is not", () => {
  expect(isAgentMemory("/mem/agents")).toBe(true);
  expect(isAgentMemory("/mem/agents/a")).toBe(true);
  expect(isAgentMemory("/mem/agentsx/a")).toBe(false);
});
