import type { SubtaskReport } from "@aos/protocol/words";
import { describe, expect, test } from "vitest";
import { planLayers } from "./plan-layers.ts";

const subtask = (id: string, ...dependsOn: string[]) =>
  ({ id, dependsOn }) as never as SubtaskReport;
const drawn = (...subtasks: SubtaskReport[]) =>
  planLayers(subtasks).map((layer) => layer.map(({ id }) => id).join(" "));

describe("a plan in layers", () => {
  test("has each subtask below all that it depends on (PLAN-LAYERS-1)", () => {
    expect(drawn(subtask("d", "b", "c"), subtask("c", "a"), subtask("b"), subtask("a"))).toEqual([
      "b a",
      "c",
      "d",
    ]);
  });

  test("comes to an end where subtasks wait for each other", () => {
    expect(drawn(subtask("a"), subtask("b", "c"), subtask("c", "b"))).toEqual(["a", "b c"]);
  });
});
