import { expect, test } from "vitest";
import { withModel } from "./with-model.ts";

const model = "lab/qwen3";

test("every model and its capabilities are replaced, also of agents inside (WITH-MODEL-1)", () => {
  const manifest = {
    kind: "Workflow",
    name: "review",
    model: ["scripted/a", "scripted/b"],
    capabilities: ["model:scripted/a:infer{usd:1}", "model:scripted/*:infer", "tool:echo:call"],
    steps: [
      {
        id: "read",
        agent: { name: "reader", model: "scripted/r", capabilities: ["model:scripted/r:infer"] },
      },
    ],
  };

  expect(withModel(manifest, model)).toEqual({
    kind: "Workflow",
    name: "review",
    model,
    capabilities: ["model:lab/qwen3:infer{usd:1}", "model:lab/qwen3:infer", "tool:echo:call"],
    steps: [
      {
        id: "read",
        agent: { name: "reader", model, capabilities: ["model:lab/qwen3:infer"] },
      },
    ],
  });
});

test("what is passed on as data stays (WITH-MODEL-2)", () => {
  const steps = [{ id: "a", tool: "train", args: { model: "linear" } }];
  const manifest = { name: "x", model: "scripted/a", steps, input: { schema: { model: "y" } } };

  expect(withModel(manifest, model)).toEqual({ ...manifest, model });
});

test("a program that asks no model cannot be given one", () => {
  expect(() => withModel({ name: "sums", command: ["python3"] }, model)).toThrow(/uses no model/);
  expect(withModel({ name: "same", model }, model)).toEqual({ name: "same", model });
});
