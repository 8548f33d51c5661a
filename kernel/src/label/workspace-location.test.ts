import { expect, test } from "vitest";
import { located, locatedPath } from "./workspace-location.ts";

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
