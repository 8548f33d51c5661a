// Random projects, random changes: what is committed is what is in the copy, and what is undone is as
// it was, byte for byte.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import {
  ALL,
  folderSnapshot,
  testProject,
} from "../../../tests/helpers/drivers/workspace-project.ts";

/** Few names, so that files, folders and links come to stand in each other's place. */
const path = fc
  .array(fc.constantFrom("a", "b", "c d", "é"), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("/"));

type Act =
  | { readonly do: "file"; readonly path: string; readonly text: string }
  | { readonly do: "folder" | "remove"; readonly path: string }
  | { readonly do: "link"; readonly path: string; readonly target: string }
  | { readonly do: "mode"; readonly path: string; readonly mode: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("file" as const), path, text: fc.string() }),
  },
  fc.record({ do: fc.constantFrom("folder" as const, "remove" as const), path }),
  fc.record({
    do: fc.constant("link" as const),
    path,
    target: fc.constantFrom("a", "b/a", "nowhere"),
  }),
  fc.record({
    do: fc.constant("mode" as const),
    path,
    mode: fc.constantFrom(0o644, 0o755, 0o700, 0o744),
  }),
);
const acts = fc.array(act, { maxLength: 12 });

/** Does what it can; whatever is in the way goes. */
function perform(folder: string, list: readonly Act[]): void {
  for (const one of list) {
    const at = join(folder, one.path);
    if (one.do === "mode") {
      if (existsSync(at) && !lstatSync(at).isSymbolicLink()) chmodSync(at, one.mode);
      continue;
    }
    if (!makeWay(folder, dirname(one.path))) continue;
    rmSync(at, { recursive: true, force: true });
    if (one.do === "file") writeFileSync(at, one.text);
    else if (one.do === "folder") mkdirSync(at);
    else if (one.do === "link") symlinkSync(one.target, at);
  }
}

function makeWay(folder: string, path: string): boolean {
  if (path === ".") return true;
  if (!makeWay(folder, dirname(path))) return false;
  const at = join(folder, path);
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return true;
  if (stats !== undefined) return false;
  mkdirSync(at);
  return true;
}

const RUNS = { numRuns: inject("isDeep") ? 25 : 6 };

test("undo before a commit gives what was there; and again gives the same", () =>
  fc.assert(
    fc.asyncProperty(acts, acts, async (before, changes) => {
      using here = testProject({});
      perform(here.project, before);
      const was = folderSnapshot(here.project);
      const root = await here.copy();
      expect(folderSnapshot(root)).toEqual(was);
      perform(root, changes);

      await here.workspaces.undo("agt_1");

      expect(folderSnapshot(root)).toEqual(was);
      expect(folderSnapshot(here.project)).toEqual(was);
      expect((await here.workspaces.diff("agt_1")).changes).toEqual([]);
      expect((await here.workspaces.undo("agt_1")).files).toEqual([]);
    }),
    RUNS,
  ));

test("a commit gives the project what is in the copy, and undo takes it back", () =>
  fc.assert(
    fc.asyncProperty(acts, acts, acts, async (before, changes, more) => {
      using here = testProject({});
      perform(here.project, before);
      const was = folderSnapshot(here.project);
      const root = await here.copy();
      perform(root, changes);
      const { changes: told } = await here.workspaces.diff("agt_1");

      const { files } = await here.workspaces.commit("agt_1", { mayWrite: ALL });

      expect(files).toEqual(told.map(({ path }) => path));
      expect(folderSnapshot(here.project)).toEqual(folderSnapshot(root));
      expect((await here.workspaces.diff("agt_1")).changes).toEqual([]);

      perform(root, more);
      await here.again().commit("agt_1", { mayWrite: ALL });
      expect(folderSnapshot(here.project)).toEqual(folderSnapshot(root));

      await here.again().undo("agt_1");
      expect(folderSnapshot(here.project)).toEqual(was);
      expect(folderSnapshot(root)).toEqual(was);
      expect((await here.workspaces.undo("agt_1")).files).toEqual([]);
    }),
    RUNS,
  ));

test("what others change meanwhile is never written over, and nothing is done by halves", () =>
  fc.assert(
    fc.asyncProperty(acts, acts, acts, async (before, changes, theirs) => {
      using here = testProject({});
      perform(here.project, before);
      const root = await here.copy();
      perform(root, changes);
      perform(here.project, theirs);
      const was = folderSnapshot(here.project);

      const done = await here.workspaces.commit("agt_1", { mayWrite: ALL }).then(
        () => true,
        (error: { code: string }) => {
          expect(error.code).toBe("ESTATE");
          return false;
        },
      );

      if (!done) expect(folderSnapshot(here.project)).toEqual(was);
      const undone = await here.workspaces.undo("agt_1").catch(() => undefined);
      expect(undone).toBeDefined();
      expect(folderSnapshot(here.project)).toEqual(was);
    }),
    RUNS,
  ));
