import { expect, test } from "vitest";
import { located, locatedPath, originOf, readLocations } from "./workspace-location.ts";

const worker = (tree: string, workspace: { folder?: string; isCow: boolean }) => ({
  tree,
  place: { workspace },
});

test("the same folder of the machine is one place to all who work in it", () => {
  const one = worker("agt_1", { folder: "/home/ada/site", isCow: false });
  const two = worker("agt_2", { folder: "/home/ada/site", isCow: false });
  expect(locatedPath("/work/a", one)).toBe("/home/ada/site/a");
  expect(locatedPath("/work/a", two)).toBe("/home/ada/site/a");
  expect(locatedPath("/work", one)).toBe("/home/ada/site");
});

test("a workspace of its own, and a copy, are places that only its tree has", () => {
  const own = worker("agt_1", { isCow: false });
  const copy = worker("agt_2", { folder: "/home/ada/site", isCow: true });
  expect(locatedPath("/work/a", own)).toBe("agt_1:/a");
  expect(locatedPath("/work/a", copy)).toBe("agt_2:/a");
});

test("what is not in the workspace, and what is no file, is where it says", () => {
  const own = worker("agt_1", { isCow: false });
  for (const path of ["/workshop/a", "/data/work/a", "/"])
    expect(locatedPath(path, own)).toBe(path);
  const touch = { kind: "http", resource: "/work/a", verb: "get" };
  expect(located(touch, own)).toBe(touch);
  expect(located({ kind: "file", resource: "/work/a", verb: "read" }, own)).toEqual({
    kind: "file",
    resource: "agt_1:/a",
    verb: "read",
  });
});

test("what is read of a copy is there, and where it was copied from; nothing else is in two places", () => {
  const copy = worker("agt_2", { folder: "/home/ada/site", isCow: true });
  const read = (resource: string, kind = "file") => ({ kind, resource, verb: "read" });

  expect(readLocations([read("/work/a"), read("/work"), read("/data")], copy)).toEqual([
    read("agt_2:/a"),
    read("/home/ada/site/a"),
    read("agt_2:"),
    read("/home/ada/site"),
    read("/data"),
  ]);
  expect(readLocations([read("/work/a", "memory")], copy)).toEqual([read("/work/a", "memory")]);
  for (const path of ["/workshop/a", "/data/work"]) expect(originOf(path, copy)).toBeUndefined();
  const shared = worker("agt_1", { folder: "/home/ada/site", isCow: false });
  expect(readLocations([read("/work/a")], shared)).toEqual([read("/home/ada/site/a")]);
  expect(readLocations([read("/work/a")], worker("agt_3", { isCow: true }))).toEqual([
    read("agt_3:/a"),
  ]);
});
