import { expect, test } from "vitest";
import { gateOf } from "../../../tests/helpers/kernel/gate.ts";

const rules = [{ id: "try", allow: "*", constraints: { dryRun: true } }];

test("a rule that lets everything only be tried leaves a program what it lives by", async () => {
  const { pass } = gateOf({ capabilities: ["memory:/mem/**:*"], rules });

  expect(await pass("now", {})).not.toHaveProperty("dryRun");
  expect(await pass("read", { path: "/self/manifest" })).not.toHaveProperty("dryRun");
  expect(await pass("write", { path: "/mem/working/a", data: 1 })).toHaveProperty("dryRun");
});
