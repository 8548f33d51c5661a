import type { ModelDriver } from "@aos/protocol";
import { expect, test } from "vitest";
import { checkConfigText } from "../config.ts";
import type { ConfigChanges } from "./config-changes.ts";
import { ModelRegistry, type Declaration } from "./model-registry.ts";

const read = (text: string) => checkConfigText(text, "config.yaml");

const driverOf = (provider: string): ModelDriver => ({
  provider,
  egress: false,
  worstCase: () => ({ usd: 0, tokens: 0 }),
  infer: () => Promise.reject(new Error("nobody asks")),
});

function bookOf(text: string) {
  const file = { text };
  const made: Declaration[] = [];
  const changes: ConfigChanges[] = [];
  const registry = new ModelRegistry({
    config: read(text),
    read: () => read(file.text),
    dayOf: () => "2026-01-02",
    create: (declaration) => {
      made.push(declaration);
      return driverOf(declaration.name);
    },
    onChanges: (seen) => changes.push(seen),
    more: [driverOf("replay")],
  });
  return { registry, file, made, changes };
}

test("a provider that is known by name needs no configuration", () => {
  const { registry } = bookOf("");

  expect(registry.declaration("anthropic")).toMatchObject({
    type: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keySecret: "ANTHROPIC_API_KEY",
  });
  expect(registry.declaration("ollama")).not.toHaveProperty("keySecret");
  expect(registry.driver("nobody")).toBeUndefined();
  expect(registry.driver("constructor")).toBeUndefined();
  expect(registry.driver("replay")?.provider).toBe("replay");
  expect(registry.providers()).toContain("replay");
});

test.each([
  ["type: openai-compatible, baseUrl: 'https://lab.example/v1'", "MY_LAB_API_KEY"],
  ["type: openai-compatible, baseUrl: 'https://lab.example/v1', key: OTHER", "OTHER"],
  ["type: openai-compatible, baseUrl: 'https://lab.example/v1', key: false", undefined],
  ["type: openai-compatible, baseUrl: 'http://127.0.0.1:8080/v1'", undefined],
  ["type: openai-compatible, baseUrl: 'http://127.0.0.1:8080/v1', key: OTHER", "OTHER"],
  ["type: ollama, baseUrl: 'http://gpu.lan:11434/api'", undefined],
])("MODEL-REGISTRY-3: { %s } has the key %s", (written, key) => {
  const { registry } = bookOf(`providers: { my-lab: { ${written} } }`);

  expect(registry.declaration("my-lab")?.keySecret).toBe(key);
});

test("what the operator says of a model goes to its driver, with the day of the file", () => {
  const { registry, made } = bookOf(
    "models: { openai/gpt-x: { price: { input: 1, output: 2 }, window: 100k }, google/y: {} }",
  );

  registry.driver("openai");

  expect(made[0]?.models).toEqual({
    "gpt-x": {
      window: 100_000,
      price: { input: 1, output: 2, date: "2026-01-02", source: "config.yaml" },
    },
  });
});

test("MODEL-REGISTRY-1: what is read again counts at once", () => {
  const { registry, file, changes } = bookOf("models: { openai/x: { concurrency: 1 } }");

  file.text = `
providers: { lab: { type: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" } }
models: { openai/x: { concurrency: 2 } }
scheduler: { tenants: { a: { weight: 3 } }, running: 5 }
budgets: [{ scope: total, per: day, usd: 1 }]
log: { level: debug, format: json }
`;
  registry.reread();

  expect(registry.slots().models["openai/x"]).toEqual({ concurrency: 2 });
  expect(registry.slots().tenants).toEqual({ a: { weight: 3 } });
  expect(registry.driver("lab")?.provider).toBe("lab");
  expect(changes.map(({ made }) => made)).toEqual([
    [
      "provider lab was added",
      "model openai/x changed",
      "scheduler.tenants changed",
      "log.level is debug",
    ],
  ]);
  expect(changes[0]?.waiting.toSorted()).toEqual(["budgets", "log.format", "scheduler.running"]);
});

test("MODEL-REGISTRY-1: a provider that is gone from the file is gone", () => {
  const { registry, file } = bookOf(
    "providers: { lab: { type: openai-compatible, baseUrl: 'http://127.0.0.1:1/v1' } }",
  );
  registry.driver("lab");

  file.text = "";
  registry.reread();

  expect(registry.driver("lab")).toBeUndefined();
});

test("MODEL-REGISTRY-1: a file that says nonsense changes nothing", () => {
  const { registry, file } = bookOf("models: { openai/x: { concurrency: 1 } }");

  file.text = "models: { openai/x: { concurrency: none } }";

  expect(() => registry.reread()).toThrow("config.yaml:1: models.openai/x.concurrency");
  expect(registry.slots().models["openai/x"]).toEqual({ concurrency: 1 });
});

test("MODEL-REGISTRY-2: a driver is made anew only where its own lines changed", () => {
  const { registry, file, made } = bookOf("providers: { openai: { type: openai } }");
  const first = registry.driver("openai");

  file.text = "providers: { openai: { type: openai, concurrency: 2 } }\nmodels: { google/x: {} }";
  registry.reread();
  const second = registry.driver("openai");
  file.text = "providers: { openai: { type: openai-chat } }";
  registry.reread();
  const third = registry.driver("openai");

  expect(second).toBe(first);
  expect(third).not.toBe(first);
  expect(made.map(({ type }) => type)).toEqual(["openai", "openai-chat"]);
});
