// The reference is no rubber stamp: told another policy than the one in force, or of tools that touch
// other things than they did, it disagrees with the very same journals.

import type { Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";
import { compareWithReference, type ReferenceWorld } from "../../reference/reference.ts";

const copy = (resource: string): Tool => ({
  name: "copy",
  version: "1",
  description: "touches a file",
  input: {},
  effect: "idempotent",
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [{ kind: "file", resource, verb: "read" }],
  run: async () => "copied",
});

async function ranOnce(capability: string) {
  const policy = allowBut({ id: "no-sleep", deny: "sleep" });
  const { kernel } = await bootForTest({
    tools: [copy("/work/a")],
    policy,
    programs: {
      worker: async (sys) => [await codeOf(sys.exec("copy", {})), await codeOf(sys.sleep(1))],
    },
  });
  const bootedAt = Date.now() - 1000;
  const capabilities = ["tool:copy:call", capability];
  await kernel.wait(await kernel.spawn({ agent: "worker", capabilities }));
  const world: ReferenceWorld = { tools: [copy("/work/a")], models: [], policy, bootedAt };
  return (changed: Partial<ReferenceWorld>) =>
    compareWithReference(kernel, { ...world, ...changed });
}

test("it agrees with what was done and with what was refused", async () => {
  const compare = await ranOnce("file:/work/*:read");

  expect(await compare({})).toMatchObject({ disagreements: [], agreed: 2 });
});

test("a call that the policy forbids, and was done, is a disagreement; so is the reverse", async () => {
  const compare = await ranOnce("file:/work/*:read");

  const { disagreements } = await compare({ policy: allowBut({ id: "none", deny: "exec" }) });

  expect(disagreements).toEqual([
    expect.stringMatching(/exec .* was done; the reference: the policy says deny/),
    expect.stringMatching(/sleep .* was EPOLICY; the reference: the policy says allow/),
  ]);
});

test("a call without a capability that was done is a disagreement; so is one with it that was refused", async () => {
  const done = await ranOnce("file:/work/*:read");
  const refused = await ranOnce("file:/other/*:read");

  expect((await done({ tools: [copy("/etc/a")] })).disagreements).toEqual([
    expect.stringMatching(/was done; the reference: no capability/),
  ]);
  expect((await refused({})).disagreements).toEqual([]);
});

test("what cannot be judged is counted, not passed over", async () => {
  const compare = await ranOnce("file:/work/*:read{max:1}");

  const { agreed, tally } = await compare({ bootedAt: Date.now() + 1000 });

  expect({ agreed, tally: [...tally] }).toEqual({
    agreed: 0,
    tally: [["decided before this boot", 2]],
  });
});
