// Marks of folders, and of the files of a copy that is committed to its project.

import type { Label } from "@aos/protocol";
import { beforeEach, expect, test } from "vitest";
import { CLEAN } from "./label.ts";
import { ResourceLabels } from "./resource-labels.ts";
import { asJournal, FakeJournal } from "../../../tests/helpers/kernel/label-journal.ts";

const RED: Label = { integrity: "untrusted", secrecy: "public" };
const SECRET: Label = { integrity: "trusted", secrecy: "secret" };
const BOTH: Label = { integrity: "untrusted", secrecy: "secret" };
const WRITER = {} as never;
const COPY = { tree: "agt_1", project: "/home/ada/site" };

let journal: FakeJournal;
let labels: ResourceLabels;
beforeEach(() => {
  journal = new FakeJournal("sqlite");
  labels = new ResourceLabels(asJournal(journal));
});

const read = (resource: string) => labels.of([{ kind: "file", resource, verb: "read" }]);
const write = (label: Label, resource: string) =>
  labels.mark(WRITER, label, [{ kind: "file", resource, verb: "write" }], false);
const settle = (paths: readonly string[], rest: Label, put: Label, label = RED) =>
  labels.settleBelow(WRITER, label, { folder: "/work", paths, rest, put });

test("RESOURCE-LABELS-4: who marks a folder is told its mark before and now", async () => {
  expect(await labels.markBelow(WRITER, RED, "/work")).toEqual({ before: CLEAN, now: RED });
  expect(await labels.markBelow(WRITER, SECRET, "/work")).toEqual({ before: RED, now: BOTH });
});

test("RESOURCE-LABELS-5: when a run is over the files that it wrote keep its mark, and the folder does not", async () => {
  await labels.markBelow(WRITER, RED, "/work");
  await write(SECRET, "/work/b");

  await settle(["/work/a", "/work/b"], CLEAN, RED);

  expect(await read("/work/a")).toEqual(RED);
  expect(await read("/work/b")).toEqual(BOTH);
  expect(await read("/work/c")).toEqual(CLEAN);
});

test("RESOURCE-LABELS-5: a mark that another has put on the folder meanwhile stays", async () => {
  await labels.markBelow(WRITER, RED, "/work");
  await labels.markBelow(WRITER, SECRET, "/work"); // the other

  await settle([], CLEAN, RED);
  expect(await read("/work/c")).toEqual(BOTH);
  await settle([], CLEAN, BOTH);
  expect(await read("/work/c")).toEqual(CLEAN);
});

test("RESOURCE-LABELS-5: a folder that is marked with less than was put is left alone", async () => {
  await labels.markBelow(WRITER, RED, "/work");

  await settle([], CLEAN, BOTH);

  expect(await read("/work/c")).toEqual(RED);
});

test("RESOURCE-LABELS-5: a file that has the run's mark already is not written again", async () => {
  await write(BOTH, "/work/a");
  journal.commit();

  await settle(["/work/a"], CLEAN, RED);
  await settle(["/work/a", "/work/b"], CLEAN, RED, CLEAN);

  expect(journal.amended).toEqual([]);
});

test("RESOURCE-LABELS-6: a commit marks the project's files as the copy's are, by the operator's act", async () => {
  await write(RED, "agt_1:/a");
  await write(SECRET, "/home/ada/site/a");
  await labels.markBelow(WRITER, SECRET, "agt_1:/deep");
  journal.commit();

  const carried = await labels.carry(COPY, ["a", "deep/b", "clean"]);

  expect(carried).toEqual([
    { path: "a", before: "trusted/secret", put: "untrusted/secret" },
    { path: "deep/b", before: null, put: "trusted/secret" },
  ]);
  expect(journal.amended).toEqual([]);
  expect(journal.written).toMatchObject([
    { op: "label.put", resource: "file:/home/ada/site/a" },
    { op: "label.put", resource: "file:/home/ada/site/deep/b" },
  ]);
  expect(await read("/home/ada/site/a")).toEqual(BOTH);
});

test("RESOURCE-LABELS-6: a copy without marks, or with no more than the project has, marks nothing", async () => {
  await write(RED, "agt_2:/a");
  expect(await labels.carry(COPY, ["a"])).toEqual([]);
  await write(RED, "agt_1:/a");
  await write(BOTH, "/home/ada/site/a");

  expect(await labels.carry(COPY, ["a"])).toEqual([]);
  expect(journal.written).toEqual([]);
});

test("RESOURCE-LABELS-6: the undo puts back what was there, unless another has marked the file since", async () => {
  await write(SECRET, "/home/ada/site/a");
  await labels.markBelow(WRITER, RED, "agt_1:");
  const carried = await labels.carry(COPY, ["a", "b", "c"]);
  await write(SECRET, "/home/ada/site/c"); // another, since

  await labels.takeBack(COPY, carried);

  expect(await read("/home/ada/site/a")).toEqual(SECRET);
  expect(await read("/home/ada/site/b")).toEqual(CLEAN);
  expect(await read("/home/ada/site/c")).toEqual(BOTH);
  journal.written.splice(0);
  await labels.takeBack(COPY, [{ path: "never-marked", before: null, put: "untrusted/public" }]);
  expect(journal.written).toEqual([]);
});

test("what marks say below a folder: of the file, of the folders it is in, and of those above", async () => {
  await labels.markBelow(WRITER, { ...CLEAN, tags: ["top"] }, "/work");
  await labels.markBelow(WRITER, { ...CLEAN, tags: ["in"] }, "/work/in");
  await labels.markBelow(WRITER, { ...CLEAN, tags: ["deep"] }, "/work/in/deep");
  await write({ ...CLEAN, tags: ["own"] }, "/work/in/deep/a");
  const tagsOf = async (path: string) => (await labels.below("/work/in"))?.(path)?.tags?.toSorted();

  for (const isKept of [false, true]) {
    if (isKept) journal.commit();
    expect(await tagsOf("/work/in/deep/a")).toEqual(["deep", "in", "own", "top"]);
    expect(await tagsOf("/work/in/deep/b")).toEqual(["deep", "in", "top"]);
    expect(await tagsOf("/work/in/b")).toEqual(["in", "top"]);
  }
});

test("where only a file is marked, only the file is; a clean mark is none", async () => {
  await write(RED, "/work/a");
  await write(RED, "/other/b");
  expect(await labels.below("/none")).toBeUndefined();
  const marks = await labels.below("/work");
  expect(marks?.("/work/a")).toEqual(RED);
  expect(marks?.("/work/b")).toBeUndefined();
  expect((await labels.below("/work"))?.("/other/b")).toBeUndefined();

  await labels.mark(WRITER, CLEAN, [{ kind: "file", resource: "/work/a", verb: "write" }], true);

  expect(await labels.below("/work")).toBeUndefined();
});

test("where only a folder above is marked, all below it is", async () => {
  await labels.markBelow(WRITER, RED, "/work");

  expect((await labels.below("/work/in"))?.("/work/in/a")).toEqual(RED);
});
