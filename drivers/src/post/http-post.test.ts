import { expect, test } from "vitest";
import { onlyTo, retryAfter } from "./http-post.ts";

const touch = (resource: string) => ({ kind: "http", resource, verb: "post" }) as const;

test("only the configured host is reached, and a private address only where it is meant (HTTP-POST-1)", () => {
  const gate = onlyTo({ host: "hooks.example", port: 443 }, { isPrivate: false });

  gate(touch("hooks.example:443/a/b"));
  for (const other of [
    "10.0.0.1:443/a/b",
    "hooks.example:4430/a",
    "hooks.example.evil:443/",
    "127.0.0.1:443/",
  ])
    expect(() => gate(touch(other))).toThrow(/private address/);
  onlyTo({ host: "hooks.example", port: 443 }, { isPrivate: true })(touch("10.0.0.1:443/a"));
});

test("Retry-After is seconds or a date, and never longer than an hour", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");

  expect(retryAfter("30", now)).toBe(30_000);
  expect(retryAfter("Thu, 01 Jan 2026 00:00:10 GMT", now)).toBe(10_000);
  expect(retryAfter("99999999", now)).toBe(3_600_000);
  expect([retryAfter("soon", now), retryAfter(undefined, now), retryAfter("", now)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
