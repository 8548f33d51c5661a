import { expect, test } from "vitest";
import {
  formatKeyState,
  formatMs,
  formatModelTest,
  formatPrice,
  formatTokenCount,
} from "./format-model.ts";

const price = { input: 3, output: 15, date: "2026-01-01", source: "its page" };

test("prices, tokens, times and keys are shown in words", () => {
  expect(formatPrice({ price })).toBe("$3 / $15");
  expect(formatPrice({ price: { ...price, input: 0, output: 0 } })).toBe("free");
  expect(formatPrice({ price: null })).toBe("not known");
  expect([null, 512, 8000, 131_072, 1_000_000].map(formatTokenCount)).toEqual([
    "-",
    "512",
    "8k",
    "131.1k",
    "1M",
  ]);
  expect([null, 1.4, 9999, 12_345].map(formatMs)).toEqual(["-", "1 ms", "9999 ms", "12.3 s"]);
  expect(formatKeyState({ key: null })).toBe("none needed");
  expect(formatKeyState({ key: { name: "X_API_KEY", isSet: false } })).toBe("X_API_KEY is not set");
});

test("a test says what it cost, that nobody knows, or why it failed", () => {
  const good = {
    model: "lab/a",
    ok: true,
    ms: 12,
    text: "ready\u001b[2J\n",
    usd: 0.5,
    error: null,
  };
  const error = { code: "EUPSTREAM", message: "no", hint: "aos configure" } as const;

  expect(formatModelTest(good)).toBe("lab/a answered in 12 ms ($0.500000): ready\\u001b[2J");
  expect(formatModelTest({ ...good, usd: null })).toContain("price unknown");
  expect(formatModelTest({ ...good, ok: false, error })).toBe(
    "lab/a failed: no (EUPSTREAM)\nhint: aos configure",
  );
});
