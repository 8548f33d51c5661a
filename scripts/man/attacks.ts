// Attacks: the catalogue of `aos doctor --attack` as a page, from its rows. tests/attack/catalogue.test.ts compares it.

import { attackGroups } from "../../attacks/src/catalogue/index.ts";

export const ATTACKS_PAGE = "attacks.md";

export function renderAttacks(): string {
  const groups = attackGroups.map(({ letter, name, rows }) =>
    [
      `## ${letter}: ${name}`,
      [
        "| id | tries to | stopped by |",
        "| --- | --- | --- |",
        ...rows.map(({ id, name: goal, stoppedBy }) => `| ${id} | ${goal} | \`${stoppedBy}\` |`),
      ].join("\n"),
    ].join("\n\n"),
  );
  return `${[
    "# Attack catalogue",
    "<!-- Made by `npm run man` from attacks/src/catalogue/. -->",
    "Every attack of `aos doctor --attack`. [attacks.md](../attacks.md) explains how they run.",
    ...groups,
  ].join("\n\n")}\n`;
}
