import { expect, test } from "vitest";
import { grantedTo, permitsMore } from "./permission-preview.ts";
import {
  callOf,
  execOf,
  grantTo,
  testJudgeRules,
  TEST_NOW,
  processOf,
} from "../../../tests/helpers/kernel/process.ts";

const PERMIT = { tags: [], covers: undefined, isPinned: false } as never;

test("PERMISSION-PREVIEW-1: whether it would be allowed, by capability and by rule, with nothing counted", () => {
  const process = processOf({ capabilities: ["tool:*:call", "file:/a/**:read{max:1}"] });
  const asked = { process, action: execOf(process, "look"), permit: PERMIT };
  const rules = testJudgeRules([{ id: "d", deny: "file:/a/secret" }]);
  const may = (resource: string, verb = "read") =>
    permitsMore(asked, { kind: "file", resource, verb }, rules, TEST_NOW);
  for (let i = 0; i < 3; i++) expect(may("/a/b")).toBe(true);
  expect(may("/a/b", "write")).toBe(false);
  expect(may("/b")).toBe(false);
  expect(may("/a/secret")).toBe(false);
});

test("PERMISSION-PREVIEW-2: what a call was told that it holds, it stands on", () => {
  const process = processOf({ capabilities: ["file:/a/**:read"] });
  grantTo(process, "cap_1", ["file:/b/**:write{expires:1h}"]);
  const call = callOf("exec", {}, { chains: [process.block] });
  const held = grantedTo({ process, call }, "file", testJudgeRules(), TEST_NOW);
  expect(held).toEqual([
    { pattern: "/a/**", verbs: ["read"] },
    { pattern: "/b/**", verbs: ["write"], expiresAt: TEST_NOW + 3_600_000 },
  ]);
  expect(call.chains.map(({ id }) => id)).toEqual(["birth", "birth", "cap_1"]);
});

test("PERMISSION-PREVIEW-3: where a rule speaks of hosts, none is said to be held; of files it makes no difference", () => {
  const process = processOf({ capabilities: ["http:x.org/**:get", "file:/a/**:read"] });
  const call = callOf("exec", {});
  const of = (kind: string, rules: readonly object[]) =>
    grantedTo({ process, call }, kind, testJudgeRules(rules), TEST_NOW).map(
      ({ pattern }) => pattern,
    );
  expect(of("http", [])).toEqual(["x.org/**"]);
  expect(of("http", [{ id: "d", deny: "http:x.org/admin/**" }])).toEqual([]);
  expect(of("file", [{ id: "d", deny: "file:/a/secret" }])).toEqual(["/a/**"]);
});
