import { describe, expect, test } from "vitest";
import { findTargets, targetsOf } from "./targets.ts";

const targets = targetsOf({
  agents: [{ name: "messenger", description: "", models: [], tools: [], capabilities: [] }],
  runs: [{ pid: "agt_1", agent: "hello", state: "failed" } as never],
});
const found = (typed: string) => findTargets(targets, typed).map(({ path }) => path);

describe("the palette", () => {
  test("finds a view, an agent and a run, those whose name begins so first (TARGETS-1)", () => {
    expect(found("mess")).toEqual(["/messages", "/agents/messenger"]);
    expect(found("failed hello")).toEqual(["/runs/agt_1"]);
    expect(found("doctor")).toEqual(["/system"]);
    expect(found("no such thing")).toEqual([]);
  });
});
