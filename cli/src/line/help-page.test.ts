import { expect, test } from "vitest";
import { commands, firstExamples, nouns } from "../commands.ts";
import { helpGroups } from "../help-groups.ts";
import { helpPage } from "./help-page.ts";
import { namesOf } from "./shape.ts";

const source = { rows: commands, nouns, groups: helpGroups, examples: firstExamples };
const above = [...new Set(commands.map((row) => namesOf(row)[0] ?? ""))];
const pages = [[], ...above.map((noun) => [noun]), ...commands.map(namesOf)];

test.each(pages.map((names) => [names.join(" "), names] as const))(
  "the page of aos %s ends with examples (HELP-PAGE-1), and fits a terminal",
  (_, names) => {
    const page = helpPage(source, names);
    const [before = ""] = page.split("\n\nExamples:\n");

    expect(page).toMatch(/\n\nExamples:\n( {2}\$ .+\n?)+$/);
    expect(before).toMatch(/^Usage: aos/);
    for (const line of before.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  },
);

test("a noun's page names each of its commands, and every noun is described", () => {
  for (const noun of above) {
    const below = commands.map(namesOf).filter((names) => names[0] === noun && names.length > 1);
    const page = helpPage(source, [noun]);
    for (const names of below) expect(page).toContain(`\n  ${names.slice(1).join(" ")}`);
    const isCommand = commands.some((row) => namesOf(row).join(" ") === noun);
    if (!isCommand) expect(nouns[noun], noun).toBeTypeOf("string");
  }
});

test("HELP-GROUPS-1: the first page has every command and noun in one group", () => {
  const grouped = helpGroups.flatMap((group) => group.commands);

  expect(grouped.toSorted()).toEqual(above.toSorted());
});
