import type { Label, Touch } from "@aos/protocol";
import { beforeEach, expect, test } from "vitest";
import { CLEAN } from "./label.ts";
import { ResourceLabels } from "./resource-labels.ts";
import { asJournal, FakeJournal } from "../../../tests/helpers/kernel/label-journal.ts";

const RED: Label = { integrity: "untrusted", secrecy: "public" };
const SECRET: Label = { integrity: "trusted", secrecy: "secret" };
const BOTH: Label = { integrity: "untrusted", secrecy: "secret" };

const touch = (verb: string, resource: string, kind = "file"): Touch => ({ kind, resource, verb });

let journal: FakeJournal;
let labels: ResourceLabels;
const start = (kind = "sqlite") => {
  journal = new FakeJournal(kind);
  labels = new ResourceLabels(asJournal(journal));
};
beforeEach(() => start());

const mark = (label: Label, touches: readonly Touch[], replaces = false) =>
  labels.mark({} as never, label, touches, replaces);
const read = (...resources: string[]) => labels.of(resources.map((one) => touch("read", one)));

test("RESOURCE-LABELS-1: what a process that has read something writes is marked at once, for the machine", async () => {
  await mark(RED, [touch("write", "/a")]);
  journal.asked = [];

  expect(await read("/a")).toEqual(RED);
  expect(journal.asked).toEqual([]); // it is on its way
  expect(journal.amended).toEqual([
    { op: "label.put", tenant: 0, resource: "file:/a", label: "untrusted/public" },
  ]);
  journal.commit();
  expect(await read("/a")).toEqual(RED);
  expect(journal.asked).toEqual([[0, "file:/a"]]);
});

test("only files that are written are marked, and all of them", async () => {
  await mark(RED, [
    touch("read", "/a"),
    touch("write", "/m", "memory"),
    touch("write", "/b"),
    touch("write", "/c"),
  ]);

  expect(journal.amended).toMatchObject([{ resource: "file:/b" }, { resource: "file:/c" }]);
});

test("RESOURCE-LABELS-2: who has read nothing marks nothing; over a mark it adds to it, unless it replaces all", async () => {
  await mark(CLEAN, [touch("write", "/a"), touch("write", "/b")]);
  expect(journal.amended).toEqual([]);

  await mark(RED, [touch("write", "/a")]);
  await mark(SECRET, [touch("write", "/a")]);
  expect(await read("/a")).toEqual(BOTH);
  await mark(SECRET, [touch("write", "/b")], true);
  await mark(RED, [touch("write", "/b")], true);
  expect(await read("/b")).toEqual(RED);
  await mark(CLEAN, [touch("write", "/b")], true);
  expect(await read("/b")).toEqual(CLEAN);
});

test("what is read is the join of the marks, and of files only", async () => {
  journal.kept.set("file:/a", "untrusted/public").set("file:/b", "trusted/secret");
  journal.kept.set("memory:/m", "untrusted/secret");

  expect(await read("/a", "/none", "/b")).toEqual(BOTH);
  expect(await read("/none")).toBeUndefined();
  expect(await labels.of([touch("read", "/m", "memory"), touch("write", "/a")])).toBeUndefined();
  expect(await labels.of([touch("read", "/m", "memory"), touch("read", "/b")])).toEqual(SECRET);
  expect(await labels.of([touch("write", "/a"), touch("read", "/b")])).toEqual(SECRET);
});

test("a list tells what is below the folder, kept and on its way, and nothing beside it", async () => {
  journal.kept.set("file:/work/a", "untrusted/public").set("file:/workshop", "trusted/secret");

  expect(await labels.of([touch("list", "/work")])).toEqual(RED);
  await mark(SECRET, [touch("write", "/work/deep/b"), touch("write", "/workbench")]);
  journal.asked = [];
  expect(await labels.of([touch("list", "/work/")])).toEqual(BOTH);
  expect(journal.asked).toEqual([[0, "file:/work/"]]); // the folder is no file
  expect(await labels.of([touch("list", "/other")])).toBeUndefined();
  expect(await labels.of([touch("list", "/work", "memory")])).toBeUndefined();
});

test("a store that is ours alone is asked once; one that others write to, every time", async () => {
  await read("/a");
  await read("/a");
  expect(journal.asked).toHaveLength(1);
  await mark(RED, [touch("write", "/a")]);
  journal.commit();
  expect(await read("/a")).toEqual(RED);

  start("postgres");
  expect(await read("/a")).toBeUndefined();
  journal.kept.set("file:/a", "untrusted/public");
  expect(await read("/a")).toEqual(RED);
});

test("ten thousand answers, that of the folder among them, are remembered, and then all are forgotten", async () => {
  for (let i = 0; i < 9_999; i++) await read(`/${i}`);
  journal.asked = [];

  await read("/0");
  expect(journal.asked).toEqual([]);
  await read("/one-more");
  await read("/0");
  expect(journal.asked).toHaveLength(2);
});

test("a mark that is put while the store is asked is not missed", async () => {
  let answer: () => void = () => {};
  journal.held = new Promise((resolve) => (answer = resolve));
  const reading = read("/a");
  await mark(SECRET, [touch("write", "/a")]);
  answer();

  expect(await reading).toEqual(SECRET);
  journal.commit();
  expect(await read("/a")).toEqual(SECRET);
});

test("a newer mark outlives the commit of the one before it", async () => {
  await mark(RED, [touch("write", "/a")]);
  const first = journal.callbacks.splice(0);
  await mark(SECRET, [touch("write", "/a")]);

  for (const callback of first) callback();
  journal.asked = [];

  expect(await read("/a")).toEqual(BOTH);
  expect(journal.asked).toEqual([]);
  journal.commit();
  journal.asked = [];
  await read("/a");
  expect(journal.asked).toEqual([[0, "file:/a"]]); // it is in the store, and no longer on its way
});

test("RESOURCE-LABELS-4: what is below a marked folder is marked by it, however deep, and nothing beside it", async () => {
  await labels.markBelow({} as never, RED, "/work/in");
  journal.commit();
  for (const path of ["/work/in/a", "/work/in/deep/er/b"]) expect(await read(path)).toEqual(RED);
  for (const path of ["/work/inside", "/work/in", "/work", "/work/other/in/a"])
    expect(await read(path)).toBeUndefined();
  expect(await labels.of([touch("list", "/work/in/deep")])).toEqual(RED);
  expect(await labels.of([touch("write", "/work/in/a")])).toBeUndefined();
});

test("RESOURCE-LABELS-4: a folder's mark is joined by those who come later, and is not taken away", async () => {
  await labels.markBelow({} as never, RED, "/work");
  await labels.markBelow({} as never, SECRET, "/work");
  await mark(CLEAN, [touch("write", "/work/a")], true);
  expect(await read("/work/a")).toEqual(BOTH);
  journal.commit();
  expect(await read("/work/a")).toEqual(BOTH);
});

test("RESOURCE-LABELS-4: who has read nothing leaves no mark", async () => {
  await labels.markBelow({} as never, CLEAN, "/work");
  expect(journal.amended).toEqual([]);
  await labels.markBelow({} as never, RED, "/work");
  await labels.markBelow({} as never, RED, "/work");
  expect(journal.amended).toHaveLength(1);
});
