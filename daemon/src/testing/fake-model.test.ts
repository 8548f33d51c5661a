import type { ModelContext, ModelDriver } from "@aos/protocol";
import { expect, test } from "vitest";
import { scriptedFakeModel } from "./fake-model.ts";

const request = {
  model: "vendor/large",
  messages: [{ role: "user" as const, content: "12345678" }],
};
const context = {
  signal: new AbortController().signal,
  progress: () => {},
} as unknown as ModelContext;
const script = { text: { turns: [{ say: "1234" }] } };

const live = (worst: number | null): ModelDriver => {
  const price = { input: 1_000_000, output: 2_000_000, date: "2026-01-01", source: "a test" };
  return {
    provider: "vendor",
    egress: false,
    worstCase: () => ({ usd: worst, tokens: 1 }),
    measure: () => ({
      tokens: 1,
      card: {
        model: "large",
        window: 100,
        maxOutputTokens: 10,
        price: worst === null ? null : price,
      },
    }),
    infer: () => Promise.reject(new Error("the live model was asked")),
  };
};

test("the live driver's price, window and reach hold, and it is never asked", async () => {
  const driver = scriptedFakeModel(script, []).driver("vendor", live(10));

  expect(await driver.infer(request, context)).toMatchObject({ text: "1234", usd: 4 });
  expect(driver.worstCase(request).usd).toBe(10);
  expect(driver.measure?.(request).card.window).toBe(100);
  expect(driver.egress).toBe(false);
});

test("it costs no more than the live driver said it could, and nothing is known where no price is", async () => {
  const cheap = scriptedFakeModel(script, []).driver("vendor", live(3));
  const unpriced = scriptedFakeModel(script, []).driver("vendor", live(null));

  expect((await cheap.infer(request, context)).usd).toBe(3);
  expect((await unpriced.infer(request, context)).usd).toBeNull();
  expect(unpriced.worstCase(request).usd).toBeNull();
});

test("a provider that nobody knows reaches outside", () => {
  expect(scriptedFakeModel(script, []).driver("vendor", undefined).egress).toBe(true);
});
