import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FUNCTIONS } from "./condition-problems.ts";
import { VARIABLES } from "./conditions.ts";
import { defaultPolicy } from "./default-policy.ts";
import { ruleSchema } from "./policy-file.ts";
import { securityActions } from "./security-actions.ts";

const textOf = (path: string) =>
  readFileSync(new URL(`../../../docs/${path}`, import.meta.url), "utf8");
const page = textOf("policy.md");
const rows = textOf("man/security-actions.md")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

test("docs/man/security-actions.md has every action, with its meaning and its selectors", () => {
  for (const [action, { meaning, selectors }] of Object.entries(securityActions)) {
    const row = rows.find(([, name, means]) => name === `\`${action}\`` && means === meaning);
    expect(row, action).toBeDefined();
    for (const selector of selectors) expect(row![3]).toContain(`\`${selector}\``);
  }
});

test("docs/man/default-policy.md has every rule of ours", () => {
  const ids = defaultPolicy.rules.map(({ id }) => id).filter((id) => id !== "capabilities-decide");

  for (const id of ids) expect(textOf("man/default-policy.md")).toContain(`\`${id}\``);
});

test("docs/policy.md has every variable, function and key", () => {
  const names = [...Object.keys(VARIABLES), ...Object.keys(ruleSchema.shape)];

  for (const name of names) expect(page).toContain(`\`${name}\``);
  for (const name of FUNCTIONS) expect(page).toMatch(new RegExp(`\`${name}(\\(list\\))?\``));
});
