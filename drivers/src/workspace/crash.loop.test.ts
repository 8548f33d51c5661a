// A commit and its undo, stopped before the changes that they make to files, one after another. From there on
// nothing can be changed by anybody, as when the process is killed: nothing is cleaned up. (That it is
// the same with a real kill is in tests/crash.) Afterwards the project is as it was or as it was to
// become, and nothing of the crash is left.

import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import {
  ALL,
  changedCopy,
  leftBeside,
  folderSnapshot,
  type TestProject,
} from "../../../tests/helpers/drivers/workspace-project.ts";
import type { Workspaces } from "./workspaces.ts";

/** True when it died on the way. */
async function dies(
  here: TestProject,
  at: number,
  act: (workspaces: Workspaces) => Promise<unknown>,
): Promise<boolean> {
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps >= at) throw new Error("dead");
  };
  await act(here.again({ step })).catch(() => undefined);
  return steps >= at;
}

/** In the normal run not every step is tried. */
const SKIP = inject("isDeep") ? 1 : 5;

/** Every step, or every so-manieth where a step takes long. */
async function atEveryStep(
  check: (at: number) => Promise<boolean>,
  { atLeast, stride = 1 }: { atLeast: number; stride?: number },
): Promise<void> {
  let at = 1;
  while (await check(at)) at += stride * SKIP;
  expect(at).toBeGreaterThan(atLeast);
}

const commit = (workspaces: Workspaces) => workspaces.commit("agt_1", { mayWrite: ALL });
const undo = (workspaces: Workspaces) => workspaces.undo("agt_1");

test("a commit is whole, or has never been", async () => {
  const seen = new Set<string>();
  await atEveryStep(
    async (at) => {
      const { here, root } = await changedCopy();
      using _ = here;
      const [old, now] = [folderSnapshot(here.project), folderSnapshot(root)];
      if (!(await dies(here, at, commit))) return false;

      await here.again().recover();

      const project = folderSnapshot(here.project);
      const isNew = JSON.stringify(project) === JSON.stringify(now);
      seen.add(isNew ? "new" : "old");
      expect(project).toEqual(isNew ? now : old);
      expect(leftBeside(here)).toEqual([]);
      expect((await here.again().diff("agt_1")).changes.length === 0).toBe(isNew);
      await here.again().undo("agt_1");
      expect(folderSnapshot(here.project)).toEqual(old);
      expect(folderSnapshot(root)).toEqual(old);
      return true;
    },
    { atLeast: 60 },
  );
  expect([...seen].sort()).toEqual(["new", "old"]);
});

test("an undo after a commit ends in what was there before", () =>
  atEveryStep(
    async (at) => {
      const { here, root } = await changedCopy();
      using _ = here;
      const [old, now] = [folderSnapshot(here.project), folderSnapshot(root)];
      await commit(here.workspaces);
      if (!(await dies(here, at, undo))) return false;

      await here.again().recover();
      expect([old, now]).toContainEqual(folderSnapshot(here.project));
      await here.again().undo("agt_1");

      expect(folderSnapshot(here.project)).toEqual(old);
      expect(folderSnapshot(root)).toEqual(old);
      expect(leftBeside(here)).toEqual([]);
      return true;
    },
    { atLeast: 60, stride: 3 },
  ));

test("an undo before a commit goes on at the next start", () =>
  atEveryStep(
    async (at) => {
      const { here, root } = await changedCopy();
      using _ = here;
      const was = folderSnapshot(root);
      if (!(await dies(here, at, undo))) return false;

      await here.again().recover();

      const [old, now] = [folderSnapshot(here.project), folderSnapshot(root)];
      // Before it is written down that it began, nothing has happened.
      expect(now).toEqual(JSON.stringify(now) === JSON.stringify(was) && at < 10 ? was : old);
      await here.again().undo("agt_1");
      expect(folderSnapshot(root)).toEqual(old);
      return true;
    },
    { atLeast: 20 },
  ));

test("what somebody writes between the crash and the next start is kept", () =>
  atEveryStep(
    async (at) => {
      const { here, root } = await changedCopy();
      using _ = here;
      const [old, now] = [folderSnapshot(here.project), folderSnapshot(root)];
      if (!(await dies(here, at, commit))) return false;
      const isDone = JSON.stringify(folderSnapshot(here.project)) === JSON.stringify(now);
      writeFileSync(join(here.project, "changed"), "mine");

      await here.again().recover();

      const mine = (side: Record<string, string>) => ({ ...side, changed: "644 mine" });
      const project = folderSnapshot(here.project);
      if (isDone) expect([mine(old), mine(now)]).toContainEqual(project);
      else expect(project).toEqual(mine(old));
      expect(leftBeside(here)).toEqual([]);
      return true;
    },
    { atLeast: 60, stride: 3 },
  ));

test("a commit that was cut short is finished before its workspace is removed", async () => {
  const { here, root } = await changedCopy();
  using _ = here;
  const [old, now] = [folderSnapshot(here.project), folderSnapshot(root)];
  // Far enough for the first files to have been touched.
  let at = 40;
  while (JSON.stringify(folderSnapshot(here.project)) === JSON.stringify(old)) {
    await dies(here, at, commit);
    at += 1;
  }
  expect(folderSnapshot(here.project)).not.toEqual(now);

  await here.again().remove("agt_1");

  expect(folderSnapshot(here.project)).toEqual(now);
});

test("one workspace that cannot be recovered does not keep others from it", async () => {
  const { here } = await changedCopy();
  using _ = here;
  await dies(here, 45, commit);
  const moved = `${here.project}2`;
  renameSync(here.project, moved);

  const said = await here.again().recover();

  expect(said).toEqual([{ tree: "agt_1", what: expect.stringContaining("not completed") }]);
});
