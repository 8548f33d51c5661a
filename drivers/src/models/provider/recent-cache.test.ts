import { expect, test } from "vitest";
import { RecentCache } from "./recent-cache.ts";

test("what was made for a name is made once", () => {
  const made: string[] = [];
  const lately = new RecentCache(2, (name) => ({ name, at: made.push(name) }));

  expect(lately.of("a")).toBe(lately.of("a"));
  expect(made).toEqual(["a"]);
});

test("RECENT-CACHE-1: there are never more than so many, and who was asked for last stays", () => {
  const made: string[] = [];
  const lately = new RecentCache(2, (name) => made.push(name));

  for (const name of ["a", "b", "a", "c", "a", "b"]) lately.of(name);

  expect(made).toEqual(["a", "b", "c", "b"]);
});
