// COMMIT-4: the labels of files go along with a commit, and come back with its undo.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CarriedMark, MarkKeeper } from "@aos/protocol";
import { ALL, plant, testProject } from "../../../tests/helpers/drivers/workspace-project.ts";

class Told implements MarkKeeper {
  readonly told: string[] = [];
  /** Looked at while the marks are put. */
  onCarry = (): void => {};

  async carryMarks(_place: object, paths: readonly string[]): Promise<CarriedMark[]> {
    this.onCarry();
    this.told.push(`carry ${paths.join(" ")}`);
    return paths.map((path) => ({ path, before: null, put: "trusted/secret" }));
  }

  async takeBackMarks(_place: object, marks: readonly CarriedMark[]): Promise<void> {
    this.told.push(`take back ${marks.map(({ path }) => path).join(" ")}`);
  }
}

test("what is written is marked before the first of it is there; what is removed is not marked", async () => {
  const marks = new Told();
  using here = testProject({ a: "old", gone: "old" }, { marks: () => marks });
  const root = await here.copy();
  plant(root, { a: "new", "b/c": "new" });
  rmSync(join(root, "gone"));
  let seen = "";
  marks.onCarry = () => (seen = readFileSync(join(here.project, "a"), "utf8"));

  await here.workspaces.commit("agt_1", { mayWrite: ALL });

  expect(seen).toBe("old");
  expect(marks.told).toEqual(["carry a b b/c"]);
});

test("an undo takes the marks back, except where it left what somebody made", async () => {
  const marks = new Told();
  using here = testProject({ a: "old", b: "old" }, { marks: () => marks });
  const root = await here.copy();
  plant(root, { a: "new", b: "new" });
  await here.workspaces.commit("agt_1", { mayWrite: ALL });

  await here.workspaces.undo("agt_1");

  expect(marks.told).toEqual(["carry a b", "take back a b"]);
});

test.each([
  [1, "before it began", ["take back a b"]],
  [2, "in its middle", ["take back b"]],
])("a crash after %i writes, %s: its marks are taken back with it", async (most, _where, told) => {
  const marks = new Told();
  using here = testProject({ a: "old", b: "old" }, { marks: () => marks });
  const root = await here.copy();
  plant(root, { a: "new", b: "new" });
  let renames = 0;
  const dying = here.again({
    step: (what) => {
      if (marks.told.length > 0 && what.includes("rename")) renames += 1;
      if (renames > most) throw new Error("killed"); // the first is of the list of marks
    },
  });
  await dying.commit("agt_1", { mayWrite: ALL }).catch(() => {});
  marks.told.length = 0;
  writeFileSync(join(here.project, "a"), "somebody's");

  await here.again().recover();

  expect(marks.told).toEqual(told);
});
