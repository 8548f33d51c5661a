import type { ModelDriver, SlotReport } from "@aos/protocol";
import { expect, test } from "vitest";
import { checkConfigText } from "../config.ts";
import { ModelRegistry } from "./model-registry.ts";
import { reportModels } from "./report-models.ts";

const price = { input: 3, output: 15, date: "2026-01-01", source: "its page" };

/** The providers of the test know one model by name, where they are known themselves. */
const bookOf = (text: string) =>
  new ModelRegistry({
    config: checkConfigText(text, "config.yaml"),
    read: () => checkConfigText(text, "config.yaml"),
    dayOf: () => "2026-01-02",
    more: [],
    create: ({ name, keySecret }): ModelDriver => ({
      provider: name,
      egress: keySecret !== undefined,
      worstCase: () => ({ usd: null, tokens: 0 }),
      measure: ({ model }) => ({
        tokens: 0,
        card: { model, window: 7, maxOutputTokens: null, price: null },
      }),
      cards: () =>
        name === "anthropic" || name === "openai"
          ? [{ model: `${name}/one`, window: 200_000, maxOutputTokens: 8000, price }]
          : [],
      infer: () => Promise.reject(new Error("nobody asks")),
    }),
  });

const slot = (model: string, requests: number): SlotReport =>
  ({ model, requests, queued: 0, running: 0, p50Ms: 5 }) as SlotReport;

const report = (
  text: string,
  given: { all?: boolean; slots?: SlotReport[]; keys?: string[] } = {},
) =>
  reportModels(bookOf(text), {
    all: given.all ?? false,
    slots: given.slots ?? [],
    isSet: (name) => given.keys?.includes(name) ?? false,
  });

test("of the known ones those are there whose key is", () => {
  const mine = report("", { keys: ["OPENAI_API_KEY"] });
  const all = report("", { all: true });

  expect(mine).toEqual([
    {
      model: "openai/one",
      provider: "openai",
      source: "known",
      window: 200_000,
      maxOutputTokens: 8000,
      price,
      egress: true,
      fallback: [],
      key: { name: "OPENAI_API_KEY", isSet: true },
      slots: null,
    },
  ]);
  expect(all.map(({ model, key }) => [model, key?.isSet])).toEqual([
    ["anthropic/one", false],
    ["openai/one", false],
  ]);
});

test("what is configured and what was used is there, each once", () => {
  const text = `
providers:
  lab: { type: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" }
  box: { type: openai-compatible, baseUrl: "http://127.0.0.1:2/v1" }
models: { lab/big: { fallback: [lab/small] }, openai/one: {} }
`;

  const found = report(text, {
    slots: [slot("lab/big", 1), slot("lab/small", 1), slot("scripted/never", 0)],
  });

  expect(found.map(({ model, source }) => `${source} ${model}`)).toEqual([
    "configured box/*",
    "configured lab/big",
    "used lab/small",
    "configured openai/one",
  ]);
  expect(found[1]).toMatchObject({
    fallback: ["lab/small"],
    key: null,
    window: 7,
    slots: { p50Ms: 5 },
  });
  expect(found[0]).toMatchObject({ window: null, price: null });
});
