import type { SysError } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { checkConfigText, kernelOptionsOf, type Config } from "./config.ts";
import { homeOf } from "./home.ts";
import { slotRulesOf } from "./model-config.ts";

const read = (text: string): Config => checkConfigText(text, "config.yaml");

function refusal(text: string): string {
  try {
    read(text);
  } catch (error) {
    return (error as SysError).message;
  }
  return "nothing is wrong";
}

test("what is written of providers and models becomes the rules of slots", () => {
  const config = read(`
providers:
  lab: { type: openai-compatible, baseUrl: "http://gpu.lan:8000/v1", concurrency: 4, tokensPerMinute: 1M }
models:
  lab/big:
    { requestsPerMinute: 60, fallback: [lab/small], retries: 1, hedgeAfter: 2s, breaker: { failures: 3, cool: 1m } }
scheduler: { tenants: { team: { weight: 2.5 } }, queue: 5k }
`);

  expect(slotRulesOf(config)).toEqual({
    providers: { lab: { concurrency: 4, tokensPerMinute: 1_000_000 } },
    models: {
      "lab/big": {
        requestsPerMinute: 60,
        fallback: ["lab/small"],
        retries: 1,
        hedgeAfterMs: 2000,
        breaker: { failures: 3, coolMs: 60_000 },
      },
    },
    tenants: { team: { weight: 2.5 } },
    queue: 5000,
  });
});

test("budgets, the brake and the queue go to the kernel", () => {
  const config = read(`
scheduler: { running: 20, queued: 1k, queuedPerTenant: 100 }
budgets:
  - { scope: tenant, name: team, per: day, usd: 5, tokens: 2M }
  - { scope: total, per: month, toolCalls: 10k }
velocity:
  - { scope: total, usd: 1, within: 10m }
`);

  expect(kernelOptionsOf(config, homeOf({ AOS_HOME: "/home-of-test" }))).toMatchObject({
    admission: { running: 20, queued: 1000, queuedPerTenant: 100 },
    budgets: [
      { scope: "tenant", name: "team", per: "day", usd: 5, tokens: 2_000_000 },
      { scope: "total", per: "month", toolCalls: 10_000 },
    ],
    velocity: [{ scope: "total", usd: 1, withinMs: 600_000 }],
  });
});

test("NATS carries hints between nodes on PostgreSQL, and nothing else", () => {
  const home = homeOf({ AOS_HOME: "/home-of-test" });
  const database = "database: postgres://db.example/aos";

  const { store } = kernelOptionsOf(read(`${database}\nnats: nats://nats.example`), home);

  expect(store).toMatchObject({ hints: { isConnected: false } });
  expect(() => kernelOptionsOf(read("nats: nats://nats.example"), home)).toThrow(/PostgreSQL/);
  for (const odd of ["http://nats.example", "nats://token@nats.example", "nats://"])
    expect(refusal(`${database}\nnats: ${odd}`)).toContain("nats://HOST:PORT");
});

describe("MODEL-CONFIG-1: what cannot be is refused with file, line and field", () => {
  const lab = "providers:\n  lab:\n    type: openai-compatible\n    baseUrl: http://a.lan/v1\n";
  test.each([
    [`${lab}    concurency: 3`, "config.yaml:5: providers.lab.concurency: unknown field"],
    [`${lab}    concurrency: 0`, "config.yaml:5: providers.lab.concurrency: expected 1 or more"],
    ["providers: { lab: { type: vllm } }", "config.yaml:1: providers.lab.type: "],
    [
      "providers: { lab: { type: openai-compatible } }",
      "of type openai-compatible needs a baseUrl",
    ],
    ["providers: { replay: { type: openai } }", "providers.replay: replay is reserved"],
    ["providers: { scripted: { type: openai } }", "providers.scripted: scripted is reserved"],
    ["providers: { record: { type: openai } }", "providers.record: record is reserved"],
    ["providers: { Lab: { type: openai } }", "a provider is named with a-z 0-9 -"],
    [`${lab}    key: sk-abc`, "config.yaml:5: providers.lab.key: "],
    ["models: { gpt: {} }", "models.gpt: a model must be written provider/model"],
    ["models: { lab/x: {} }", "models.lab/x: unknown provider lab"],
    [
      "models: { openai/x: { fallback: [lab/y] } }",
      "models.openai/x.fallback[0]: unknown provider",
    ],
    ["models: { openai/x: { fallback: [openai/x] } }", "a model cannot be its own fallback"],
    ["models: { openai/x: { price: { input: 1 } } }", "models.openai/x.price.output: is missing"],
    ["models: { openai/x: { breaker: { failures: 0, cool: 1s } } }", "expected 1 or more"],
    ["scheduler: { tenants: { a: { weight: 0 } } }", "scheduler.tenants.a.weight: "],
    ["scheduler: { running: 0 }", "scheduler.running: expected 1 or more"],
    [
      "budgets: [{ scope: total, per: day }]",
      "budgets[0]: a budget needs usd, tokens or toolCalls",
    ],
    ["budgets: [{ scope: total, per: day, usd: 1, name: x }]", "budgets[0].name: a limit for all"],
    ["budgets: [{ scope: tree, per: day, usd: 1 }]", "budgets[0].scope: "],
    [
      "velocity: [{ scope: total, usd: 1, within: 1m, name: x }]",
      "velocity[0].name: a limit for all",
    ],
    ["velocity: [{ scope: total, usd: 1 }]", "velocity[0].within: is missing"],
  ])("%s", (text, complaint) => {
    expect(refusal(text)).toContain(complaint);
  });
});

test.each(["Authorization", "x-api-key", "X-Goog-Api-Key", "api-key", "Cookie"])(
  "MODEL-CONFIG-2: a key is not written as the header %s",
  (header) => {
    const text = `providers: { openai: { type: openai, headers: { ${header}: abc } } }`;

    expect(refusal(text)).toContain("keys are secrets");
  },
);

test("MODEL-CONFIG-2: a key may not be in the URL either", () => {
  const text =
    "providers: { lab: { type: openai-compatible, baseUrl: 'https://a:b@lab.example/v1' } }";

  expect(refusal(text)).toContain(
    "providers.lab.baseUrl: the key must be a secret, not part of the URL",
  );
});

test.each<[string, string]>([
  ["embeddings: { model: gpt }", "provider/model; or local, or none"],
  ["embeddings: { model: nobody/small }", "no provider is called nobody"],
  ["embeddings: { model: anthropic/x }", "type anthropic has no embeddings"],
  ["embeddings: { model: openai/text-embedding-3-small }", "what a million tokens cost"],
  ["embeddings: { model: local, usdPerDay: 1 }", "only for the model of a provider"],
  ["embeddings: { model: openai/x, price: -1 }", "price"],
])("%s is refused", (text, why) => {
  expect(refusal(text)).toContain(why);
});

test.each([
  "embeddings: { model: none }",
  "embeddings: { model: openai/text-embedding-3-small, price: 0.02, usdPerDay: 2, dimensions: 256 }",
  "embeddings: { model: ollama/nomic-embed-text }",
])("%s is understood", (text) => {
  expect(refusal(text)).toBe("nothing is wrong");
});

test("how often memory is tidied, and what goes, is the kernel's option", () => {
  const options = (text: string) =>
    kernelOptionsOf(read(text), homeOf({ AOS_HOME: "/home-of-test" })).tidying;

  expect(options("")).toBeUndefined();
  expect(options("tidy: { every: 1d, olderThan: 2d, maxAge: 1h, maxRows: 7 }")).toEqual({
    everyMs: 86_400_000,
    olderThanMs: 2 * 86_400_000,
    maxAgeMs: 3_600_000,
    maxRows: 7,
  });
  expect(() => options("tidy: { maxRows: 7 }")).toThrow("needs `every`");
  expect(() => options("tidy: { every: 1s }")).toThrow("expected 1m or more");
});
