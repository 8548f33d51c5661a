import { expect, test } from "vitest";
import { listOf } from "./skill-card.ts";
import { syscallOffers } from "./toolbox.ts";

test("SKILL-CARD-1: a description is told in one line, and cut", () => {
  const [one, two] = listOf([
    { name: "a", description: "One.\n\nTwo." },
    { name: "b", description: "x".repeat(1024) },
  ]).split("\n");

  expect(one).toBe("- a: One. Two.");
  expect(two).toBe(`- b: ${"x".repeat(399)}…`);
});

test("SKILL-CARD-1: beyond a length there are only names", () => {
  const cards = Array.from({ length: 200 }, (_, n) => ({
    name: `skill-${n}`,
    description: "d".repeat(390),
  }));

  const text = listOf(cards);

  expect(text.length).toBeLessThan(12_000);
  expect(text.split("\n")).toHaveLength(200);
  expect(text.split("\n").at(-1)).toBe("- skill-199");
});

test("a manifest's tools that are system calls are offered, and what its skills and cut results need", () => {
  const names = (tools: string[], skills?: string[]) =>
    syscallOffers({ tools, ...(skills === undefined ? {} : { skills }) }).map(({ name }) => name);

  expect(names([])).toEqual([]);
  expect(names([], ["*"])).toEqual(["skill.read"]);
  expect(names(["echo"])).toEqual(["result.read"]);
  expect(names(["agent.spawn", "message.s*"])).toEqual([
    "agent.spawn",
    "message.send",
    "message.subscribe",
    "result.read",
  ]);
});
