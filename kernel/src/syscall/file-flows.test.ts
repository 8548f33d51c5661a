import type { Label, Touch } from "@aos/protocol";
import { beforeEach, expect, test } from "vitest";
import { CLEAN } from "../label/label.ts";
import { ResourceLabels } from "../label/resource-labels.ts";
import { asJournal, FakeJournal } from "../../../tests/helpers/kernel/label-journal.ts";
import { EVERYBODY, FileFlows } from "./file-flows.ts";
import { processOf } from "../../../tests/helpers/kernel/process.ts";

const tagged = (...tags: string[]): Label => ({ ...CLEAN, tags });
const RED: Label = { integrity: "untrusted", secrecy: "public" };
const SECRET: Label = { integrity: "trusted", secrecy: "secret" };
const BOTH: Label = { integrity: "untrusted", secrecy: "secret" };

let journal: FakeJournal;
let resources: ResourceLabels;
let rules: ReadonlyMap<string, Label>;
let flows: FileFlows;
beforeEach(() => {
  journal = new FakeJournal("sqlite");
  resources = new ResourceLabels(asJournal(journal));
  rules = new Map();
  const labelOf = (touches: readonly Touch[], _tool: unknown, layers: readonly string[]) =>
    layers.includes("org")
      ? touches.map(({ resource }) => rules.get(resource)).find((label) => label !== undefined)
      : undefined;
  const current = { labelOf, labelsFiles: () => rules.size > 0 };
  flows = new FileFlows(resources, { current, layersFor: () => ["org"] } as never);
});

function worker(workspace: { folder?: string; isCow: boolean }, label: Label = CLEAN) {
  const process = processOf({ label });
  return Object.defineProperties(process, {
    tree: { value: "agt_1" },
    place: { value: { workspace } },
  });
}
const plain = (label?: Label) => worker({ isCow: false }, label);
const read = (resource: string, verb = "read", kind = "file") => ({ kind, resource, verb });
const mark = (label: Label, resource: string) =>
  resources.mark({} as never, label, [read(resource, "write")], false);
const markOf = (resource: string) => resources.of([read(resource)]);

test("FILE-FLOWS-1: what is written has what its process has read", async () => {
  expect(await flows.written(plain(RED), [read("/a", "write")])).toEqual(RED);
});

test("FILE-FLOWS-1: a copy carries the marks and the operator's word of every file that it reads", async () => {
  await mark(tagged("mark"), "/a");
  await mark(tagged("below"), "/b/deep");
  rules = new Map([["/c", tagged("rule")]]);
  const written = (...touches: Touch[]) => flows.written(plain(tagged("own")), touches);

  expect((await written(read("/a"))).tags).toEqual(["mark", "own"]);
  expect((await written(read("/b"))).tags).toEqual(["below", "own"]); // a folder is moved
  expect((await written(read("/c"))).tags).toEqual(["own", "rule"]);
  expect((await written(read("/a"), read("/c"))).tags).toEqual(["mark", "own", "rule"]);
});

test("FILE-FLOWS-1: what is only written, or is no file, carries nothing", async () => {
  await mark(RED, "/a");
  rules = new Map([["/a", SECRET]]);

  expect(await flows.written(plain(), [read("/a", "write")])).toEqual(CLEAN);
  expect(await flows.written(plain(), [read("/a", "read", "memory")])).toEqual(CLEAN);
});

test("below a folder nothing is said where nothing is marked and no rule labels files", async () => {
  expect(await flows.below(plain(), "/work")).toBeUndefined();
});

test("below a folder the operator's word and the marks are joined", async () => {
  await mark(RED, "agt_1:/a");
  expect((await flows.below(plain(), "/work"))?.of("/work/a")).toEqual(RED);
  expect((await flows.below(plain(), "/work"))?.of("/work/b")).toBeUndefined();

  rules = new Map([["/work/a", SECRET]]);
  expect((await flows.below(plain(), "/work"))?.of("/work/a")).toEqual(BOTH);
  expect((await flows.below(plain(), "/other"))?.of("/work/a")).toEqual(SECRET);
  expect((await flows.below(plain(), "/other"))?.of("/work/b")).toBeUndefined();
});

test("of a copy the marks of what it was copied from count as well", async () => {
  const copy = worker({ folder: "/home/ada/site", isCow: true });
  await mark(RED, "/home/ada/site/a");
  expect((await flows.below(copy, "/work"))?.of("/work/a")).toEqual(RED);
  expect(await flows.below(plain(), "/work")).toBeUndefined();

  await mark(SECRET, "agt_1:/a");
  expect((await flows.below(copy, "/work"))?.of("/work/a")).toEqual(BOTH);
  expect((await flows.below(copy, "/work"))?.of("/home/ada/site/a")).toEqual(RED); // by its own name
  await mark(SECRET, "/elsewhere/b");
  expect((await flows.below(copy, "/work"))?.of("/elsewhere/b")).toBeUndefined();
});

test("for everybody, paths are those of the machine", async () => {
  await mark(RED, "/home/ada/a");

  expect((await flows.below(EVERYBODY, "/home/ada"))?.of("/home/ada/a")).toEqual(RED);
  expect(EVERYBODY.place.workspace.isCow).toBe(false);
});

test("FILE-FLOWS-2: what a run can see is on all that it may write; afterwards on what it wrote", async () => {
  const process = plain(SECRET);
  const marked = await flows.mayWrite(process, "/work", RED);

  expect(marked).toEqual({ folder: "agt_1:", rest: SECRET, put: BOTH });
  expect(await markOf("agt_1:/any")).toEqual(BOTH);
  await flows.wrote(process, marked, ["/work/a"], RED);
  expect(await markOf("agt_1:/a")).toEqual(BOTH);
  expect(await markOf("agt_1:/any")).toEqual(SECRET);
});

test("FILE-FLOWS-2: a run that could see nothing new leaves all as it is", async () => {
  const reader = plain(RED);
  const marked = await flows.mayWrite(reader, "/work", RED);
  await resources.markBelow({} as never, SECRET, "agt_1:/in");
  const inner = await flows.mayWrite(plain(), "/work/in", SECRET);
  journal.commit();

  await flows.wrote(reader, marked, ["/work/a"], RED);
  await flows.wrote(plain(), inner, ["/work/in/a"], SECRET);

  expect(journal.amended).toEqual([]);
  expect((await resources.below("agt_1:/in"))?.("agt_1:/in/b")).toEqual(BOTH);
});
