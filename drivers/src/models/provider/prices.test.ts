import { describe, expect, test } from "vitest";
import { billOf, knownModel, namesAt, worstBill, type FullPrice } from "./prices.ts";

const anthropic = { origin: "https://api.anthropic.com", isLocal: false };
const elsewhere = { origin: "https://proxy.example", isLocal: false };
const here = { origin: "http://127.0.0.1:1", isLocal: true };
const said = { date: "2026-01-01", source: "a test" };

describe("what is known of a model", () => {
  test("the table is whole, and every row has its day and its source", () => {
    for (const origin of [
      "https://api.anthropic.com",
      "https://api.openai.com",
      "https://generativelanguage.googleapis.com",
      "https://api.deepseek.com",
    ])
      for (const name of namesAt(origin)) {
        const { price } = knownModel(name, { origin, isLocal: false });
        expect(price, name).toMatchObject({
          date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
          source: expect.stringContaining("https:"),
        });
        expect(price!.output, name).toBeGreaterThan(price!.input);
      }
  });

  test("the longest beginning wins, and the name itself above all", () => {
    const input = (model: string) => knownModel(model, anthropic).price?.input;

    expect(input("claude-opus-4-5-20251101")).toBe(5);
    expect(input("claude-opus-4-20250514")).toBe(15);
    const models = { "m*": { window: 1 }, "my*": { window: 2 }, my: { window: 3 } };
    expect(["mx", "myx", "my"].map((model) => knownModel(model, anthropic, models).window)).toEqual(
      [1, 2, 3],
    );
  });

  test("PRICES-1: a price that is not known is null, not nothing", () => {
    expect(knownModel("claude-of-tomorrow", anthropic).price).toBeNull();
    expect(billOf(null, { inputTokens: 10, outputTokens: 10 })).toBeNull();
    expect(worstBill(null, 10, 10)).toBeNull();
  });

  test("PRICES-1: on this machine it is nothing, unless said", () => {
    const models = { "*": { price: { input: 1, output: 2 } } };

    expect(knownModel("llama", here).price).toMatchObject({ input: 0, output: 0 });
    expect(knownModel("llama", here, models).price).toMatchObject({ input: 1, output: 2 });
  });

  test("PRICES-2: another address has another price, and the model is as long as ever", () => {
    expect(knownModel("claude-sonnet-4-5", elsewhere)).toMatchObject({
      price: null,
      window: 200_000,
    });
  });

  test("what the operator says wins, field by field", () => {
    const models = { "claude-sonnet-4-5": { maxOutputTokens: 100 } };

    expect(knownModel("claude-sonnet-4-5", anthropic, models)).toMatchObject({
      maxOutputTokens: 100,
      window: 200_000,
      price: { input: 3 },
    });
  });
});

describe("the bill", () => {
  const price: FullPrice = { input: 2, output: 10, cachedInput: 0.2, cacheWrite: 2.5, ...said };
  const tiered: FullPrice = { ...price, over: { tokens: 1000, input: 20, output: 100 } };

  test("PRICES-3: each kind of token is billed at its own rate", () => {
    const usage = {
      inputTokens: 1000,
      outputTokens: 100,
      cachedTokens: 600,
      cacheWriteTokens: 300,
    };

    expect(billOf(price, usage)! * 1e6).toBeCloseTo(100 * 2 + 600 * 0.2 + 300 * 2.5 + 100 * 10);
  });

  test("PRICES-3: cached input costs as much as any where nothing is said of it", () => {
    const usage = { inputTokens: 100, outputTokens: 0, cachedTokens: 50, cacheWriteTokens: 50 };

    expect(billOf({ input: 2, output: 10, ...said }, usage)! * 1e6).toBeCloseTo(200);
  });

  test("a long request is dearer, all of it", () => {
    expect(billOf(tiered, { inputTokens: 1000, outputTokens: 1 })! * 1e6).toBeCloseTo(2010);
    expect(billOf(tiered, { inputTokens: 1001, outputTokens: 1 })! * 1e6).toBeCloseTo(20_120);
  });

  test("PROVIDER-2: nothing that fits the bound costs more than the worst case", () => {
    for (const of of [price, tiered])
      for (const input of [10, 999, 1001, 5000])
        for (const used of [0.1, 0.5, 1])
          for (const cached of [0, 0.5, 1])
            for (const written of [0, 0.5]) {
              const inputTokens = Math.floor(input * used);
              const usage = {
                inputTokens,
                outputTokens: 50,
                cachedTokens: Math.floor(inputTokens * cached * 0.5),
                cacheWriteTokens: Math.floor(inputTokens * written),
              };
              expect(billOf(of, usage)!).toBeLessThanOrEqual(worstBill(of, input, 50)! + 1e-12);
            }
  });
});
