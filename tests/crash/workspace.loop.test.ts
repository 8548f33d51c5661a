// A commit that is really killed, at places all over its way. (Every single place, without the killing,
// is in drivers/src/workspace/crash.loop.test.ts.)

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import {
  changedCopy,
  leftBeside,
  folderSnapshot,
  type TestProject,
} from "../helpers/drivers/workspace-project.ts";

/** True when it was killed. */
function isKilled(here: TestProject, act: "commit" | "undo", killAt: number): boolean {
  const { signal, status, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "workspace.program.ts"), join(here.top, "work"), act, `${killAt}`],
    {
      encoding: "utf8",
    },
  );
  if (signal === "SIGKILL") return true;
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return false;
}

const STRIDE = inject("isDeep") ? 7 : 23;

test("a commit that is killed is whole afterwards, or has never been", async () => {
  let at = 1;
  for (; ; at += STRIDE) {
    const { here, root } = await changedCopy();
    using _ = here;
    const [old, now] = [folderSnapshot(here.project), folderSnapshot(root)];
    if (!isKilled(here, "commit", at)) break;

    await here.again().recover();

    expect([old, now]).toContainEqual(folderSnapshot(here.project));
    expect(leftBeside(here)).toEqual([]);
    await here.again().undo("agt_1");
    expect(folderSnapshot(here.project)).toEqual(old);
  }
  expect(at).toBeGreaterThan(60);
});
