import { expect, test } from "vitest";
import { namesIn } from "./names-in.ts";

test.each([
  ["the id before the pid", [{ id: "ask_1", pid: "agt_1" }], undefined, ["ask_1"]],
  ["the pid", [{ pid: "agt_1" }, { pid: "agt_2" }], undefined, ["agt_1", "agt_2"]],
  ["the name", { name: "echo" }, undefined, ["echo"]],
  [
    "where the row says",
    { holdings: [{ handle: "a" }, { handle: "b" }] },
    "holdings.handle",
    ["a", "b"],
  ],
  ["a list of names", { files: ["a", "b"] }, "files", ["a", "b"]],
  ["a number", { daemon: { pid: 7 } }, "daemon.pid", ["7"]],
  ["what is not what the row is for", { name: "kernel", rules: [] }, "layers.name", ["kernel"]],
  ["nothing that is missing", { name: null, ok: true }, undefined, []],
  ["nothing of nothing", null, "a.b", []],
])("the names of a value are %s", (_, value, path, names) => {
  expect(namesIn(value, path)).toEqual(names);
});
