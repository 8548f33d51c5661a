import type { Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { filesProgram } from "./files.ts";

function sysForTest(): { sys: Sys; made: unknown[] } {
  const made: unknown[] = [];
  const answer =
    (call: string) =>
    async (...args: unknown[]) => {
      made.push([call, ...args]);
      return call;
    };
  const calls = ["list", "read", "search", "write", "remove"];
  return { sys: Object.fromEntries(calls.map((call) => [call, answer(call)])) as never, made };
}

test.each([
  [{ call: "list", path: "/mem", limit: 2 }, ["list", "/mem", { limit: 2 }]],
  [{ call: "read", path: "/a", cursor: "x" }, ["read", "/a", { cursor: "x" }]],
  [{ call: "search", path: "/a", query: "q" }, ["search", "/a", "q", {}]],
  [{ call: "write", path: "/a", data: [1] }, ["write", "/a", [1]]],
  [{ call: "remove", path: "/a" }, ["remove", "/a"]],
])("%j is exactly one call", async (input, call) => {
  const { sys, made } = sysForTest();

  await filesProgram(sys, input as Json);

  expect(made).toEqual([call]);
});

test.each([null, {}, { call: "read" }, { path: "/a" }, { call: "exec", path: "/a" }])(
  "the input %j is refused",
  async (input) => {
    await expect(filesProgram(sysForTest().sys, input as Json)).rejects.toMatchObject({
      code: "EINVAL",
    });
  },
);
