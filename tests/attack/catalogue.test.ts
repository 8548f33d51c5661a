// Every attack of the catalogue, on a range with the shipped defaults: all are stopped. And each can get
// through, with the configuration or without the lines that its row says: weakened.deep.test.ts, holes.test.ts.

import { existsSync, readFileSync } from "node:fs";
import { attackGroups, attackRange, attackRows, attempt, type AttackRow } from "@aos/attacks";
import { DEFAULT_POLICY } from "@aos/kernel";
import { describe, expect, test, vi } from "vitest";
import { knownHoles } from "./known-holes.ts";
import { openingOf, openings } from "./openings/index.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../helpers/checked-kernel.ts")).checkedModule(original, "K: tampering"),
);

const shipped = { policy: [DEFAULT_POLICY] };

test("there are at least 140, each with an id of its own and a letter of its group", () => {
  const ids = attackRows.map(({ id }) => id);

  expect(ids.length).toBeGreaterThanOrEqual(140);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { letter, rows } of attackGroups)
    expect(rows.filter(({ id }) => !new RegExp(`^${letter}\\d+$`).test(id))).toEqual([]);
});

test("each has what stops it and what would let it through, in files and lines that are there", () => {
  expect(Object.keys(openings).toSorted()).toEqual(attackRows.map(({ id }) => id).toSorted());
  for (const { id, stoppedBy } of attackRows) {
    const { configured = [], lines = [] } = openingOf({ id });
    expect({ id, holes: configured.length + lines.length }).not.toEqual({ id, holes: 0 });
    expect(readFileSync(stoppedBy, "utf8"), `${id}: ${stoppedBy}`).not.toBe("");
    for (const { file, line } of lines)
      expect(readFileSync(file, "utf8").includes(line), `${id}: ${file}: ${line}`).toBe(true);
  }
});

test("docs/man/attacks.md lists every one of them, and docs/attacks.md every group", () => {
  const page = readFileSync("docs/man/attacks.md", "utf8");
  const overview = readFileSync("docs/attacks.md", "utf8");
  const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));

  const listed = rows.filter(([, id]) => /^[A-Z]\d+$/.test(id ?? "")).map((row) => row.slice(1, 4));

  const known = attackRows.map(({ id, name, stoppedBy }) => [id, name, `\`${stoppedBy}\``]);
  expect(listed).toEqual(known);
  for (const { letter, name } of attackGroups)
    expect(overview).toMatch(new RegExp(`^\\| ${letter} +\\| ${name} +\\|`, "m"));
});

describe.each(attackGroups.map(({ letter, name, rows }) => [letter, name, rows] as const))(
  "%s: %s",
  (_letter, _name, rows) => {
    for (const row of rows) {
      const hole = knownHoles[row.id];
      const one = hole === undefined ? test : test.fails;
      one(
        `${row.id} is stopped: ${row.name}${hole === undefined ? "" : ` (${hole})`}`,
        async () => {
          const { outcome, detail } = await attempt(row, shipped);
          expect({ outcome, detail }).toMatchObject({
            outcome: expect.stringMatching(/stopped|skipped/),
          });
          expect(detail).not.toMatch(/could not be tried/);
        },
      );
    }
  },
);

test("the report says what got through under the policy that is really in force", async () => {
  const everything = { version: 1, rules: [{ id: "everything", allow: "*" }] };
  const permissive = { layer: "organisation", origin: "the test", format: "policy" as const };
  const source = { policy: [{ ...permissive, document: everything }] };
  const told: string[] = [];

  const report = await attackRange(source, {
    only: ["F1", "F10", "E3"],
    onTried: ({ id }, number, of) => told.push(`${number}/${of} ${id}`),
  });

  expect(report.attacks.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["E3", "stopped"],
    ["F1", "got-through"],
    ["F10", "got-through"],
  ]);
  expect(report.gotThrough).toBe(2);
  expect(told).toEqual(["1/3 E3", "2/3 F1", "3/3 F10"]);
});

test("a group or an attack that is not there is an error", async () => {
  await expect(attackRange(shipped, { only: ["Z9"] })).rejects.toMatchObject({ code: "EINVAL" });
});

test("what cannot be tried is skipped, never stopped; and nothing of a range is left behind", async () => {
  const folders: string[] = [];
  const broken: AttackRow = {
    ...attackRows[0]!,
    run: async (range) => {
      folders.push(range.folder);
      throw new Error("no luck");
    },
  };

  const { outcome, detail } = await attempt(broken, shipped);
  const loose = { ...shipped, limits: { spawnDepth: 30 } };
  const { attacks } = await attackRange(loose, { only: ["E15"] });

  expect({ outcome, detail }).toEqual({
    outcome: "skipped",
    detail: "the attack could not be tried: no luck",
  });
  expect(folders.map((folder) => existsSync(folder))).toEqual([false]);
  expect(attacks.map((attack) => attack.outcome)).toEqual(["skipped"]);
});
