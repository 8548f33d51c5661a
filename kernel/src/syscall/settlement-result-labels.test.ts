import type { Label, Touch } from "@aos/protocol";
import { expect, test } from "vitest";
import { CLEAN } from "../label/label.ts";
import { resultLabels } from "./settlement.ts";

const RED: Label = { integrity: "untrusted", secrecy: "public" };
const SECRET: Label = { integrity: "trusted", secrecy: "secret" };
const BOTH: Label = { integrity: "untrusted", secrecy: "secret" };
const FILE: Touch = { kind: "file", resource: "/a", verb: "read" };
const HTTP: Touch = { kind: "http", resource: "https://example.com/", verb: "get" };

interface Told {
  readonly said?: Label;
  readonly marks?: Label;
  readonly seen?: Label;
  readonly touched?: readonly Touch[];
  readonly marked?: Promise<void>;
}

function labelOf({ said, marks, seen, touched = [], marked }: Told, own = CLEAN) {
  const looked: (readonly Touch[])[] = [];
  const of = async (touches: readonly Touch[]) => {
    looked.push(touches);
    return marks;
  };
  const process = { tree: "agt_1", place: { workspace: { isCow: false } } };
  const context = { permit: { seen }, touched, marked, process } as never;
  const label = resultLabels({ resources: { of }, saidOf: () => said })(context, own);
  return { label, looked };
}

test("RESULT-LABELS-1: the operator's word goes before the tool's own", () => {
  expect(labelOf({}, RED).label).toEqual(RED);
  expect(labelOf({ said: SECRET }, RED).label).toEqual(SECRET);
});

test("RESULT-LABELS-1: what a program could see, and the marks of files, are joined to it", async () => {
  expect(labelOf({ seen: SECRET }, RED).label).toEqual(BOTH);
  expect(await labelOf({ touched: [FILE] }, RED).label).toEqual(RED);
  expect(await labelOf({ touched: [HTTP, FILE], marks: SECRET }, RED).label).toEqual(BOTH);
  expect(await labelOf({ touched: [FILE], seen: RED, marks: SECRET }).label).toEqual(BOTH);
});

test("RESULT-LABELS-2: of a call that touched no file nothing is looked up", () => {
  const { label, looked } = labelOf({ touched: [HTTP], marks: SECRET });

  expect(label).toEqual(CLEAN);
  expect(looked).toEqual([]);
});

test("a mark that is on its way is waited for, and its failure is one of the label", async () => {
  const failing = Promise.reject(new Error("not marked"));

  await expect(labelOf({ marked: failing }).label).rejects.toThrow("not marked");
  const { label, looked } = labelOf({ marked: Promise.resolve(), touched: [HTTP], marks: SECRET });
  expect(await label).toEqual(SECRET);
  expect(looked).toEqual([[HTTP]]);
});
