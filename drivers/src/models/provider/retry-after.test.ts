import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const after = (headers: Record<string, string>, body = "") =>
  retryAfterMs(new Headers(headers), body, NOW);

test.each<[string, Record<string, string>, number | undefined]>([
  ["seconds", { "retry-after": "3" }, 3000],
  ["parts of a second", { "retry-after": "0.25" }, 250],
  ["a date", { "retry-after": "Sun, 15 Nov 2026 12:00:30 GMT" }, 30_000],
  ["a date that is over", { "retry-after": "Sun, 15 Nov 2026 11:00:00 GMT" }, 0],
  ["milliseconds", { "retry-after-ms": "120", "retry-after": "9" }, 120],
  ["no sense", { "retry-after": "soon" }, undefined],
  ["nothing", {}, undefined],
  ["a day at most", { "retry-after": "999999999" }, 86_400_000],
  [
    "OpenAI's",
    { "x-ratelimit-reset-tokens": "6m0.5s", "x-ratelimit-remaining-tokens": "0" },
    360_500,
  ],
  ["a part of OpenAI's", { "x-ratelimit-reset-requests": "20ms" }, 20],
  ["Anthropic's", { "anthropic-ratelimit-tokens-reset": "2026-11-15T12:00:09Z" }, 9000],
  ["a time", { "x-ratelimit-reset": String(NOW + 5000) }, 5000],
  ["a time in seconds", { "x-ratelimit-reset": String(NOW / 1000 + 5) }, 5000],
])("the time to wait is read from %s", (_, headers, ms) => {
  expect(after(headers)).toBe(ms);
});

test("what is not used up is not waited for, and of what is, the latest", () => {
  expect(
    after({
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-tokens": "1h",
      "x-ratelimit-remaining-tokens": "500",
    }),
  ).toBe(1000);
  expect(after({ "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "2s" })).toBe(
    2000,
  );
});

test("Google says it in the body", () => {
  expect(after({}, '{"details":[{"retryDelay": "34s"}]}')).toBe(34_000);
});
