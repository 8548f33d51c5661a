import { expect, test } from "vitest";
import { checkConfigLayers } from "./config.ts";
import { parseLayers } from "./yaml-layers.ts";

const base = { file: "base.yaml", text: "a: { x: 1, y: 2 }\nlist: [1, 2]\n" };
const own = { file: "own.yaml", text: "# mine\na:\n  y: 3\nlist: [9]\n" };

test("YAML-LAYERS-1: maps are merged key by key, a list is replaced, an empty file changes nothing", () => {
  expect(parseLayers([base, own]).written).toEqual({ a: { x: 1, y: 3 }, list: [9] });
  expect(parseLayers([base, { file: "own.yaml", text: "" }]).written).toEqual({
    a: { x: 1, y: 2 },
    list: [1, 2],
  });
});

test("YAML-LAYERS-2: a field is where it was written last", () => {
  const { whereOf } = parseLayers([base, own]);

  expect(whereOf(["a", "x"])).toEqual({ file: "base.yaml", line: 1 });
  expect(whereOf(["a", "y"])).toEqual({ file: "own.yaml", line: 3 });
});

test("YAML-LAYERS-2: a mistake is named with the file that has it, whichever it is", () => {
  const good = { file: "good.yaml", text: "drain: 5s\n" };
  const bad = { file: "bad.yaml", text: "\nlimits: { spawnDeph: 3 }\n" };

  for (const layers of [
    [good, bad],
    [bad, good],
  ])
    expect(() => checkConfigLayers(layers)).toThrow(/^bad\.yaml:2: limits\.spawnDeph: /);
});

test("a model in one file may name a provider in the other", () => {
  const provider =
    "providers: { lab: { type: openai-compatible, baseUrl: http://127.0.0.1:1/v1 } }";
  const layers = [
    { file: "base.yaml", text: provider },
    { file: "own.yaml", text: "models: { lab/x: { window: 8k } }" },
  ];

  expect(checkConfigLayers(layers).models).toHaveProperty("lab/x");
});
