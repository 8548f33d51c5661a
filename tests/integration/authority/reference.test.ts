// The reference is no rubber stamp: told another policy than the one in force, or of tools that touch
// other things than they did, it disagrees with the very same journals.

import type { Kernel } from "@aos/kernel";
import type { Sys, Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";
import { compareWithReference } from "../../reference/reference.ts";
import { everlasting, type Reign } from "../../reference/reigns.ts";

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
  const capabilities = ["tool:copy:call", capability];
  await kernel.wait(await kernel.spawn({ agent: "worker", capabilities }));
  const reign = everlasting({ tools: [copy("/work/a")], models: [], policy });
  return (changed: Partial<Reign>) => compareWithReference(kernel, [{ ...reign, ...changed }]);
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

test("every block of a chain is asked: a child that writes itself more than its parent has is refused", async () => {
  const { kernel } = await bootForTest({
    programs: {
      parent: async (sys) => {
        const child = await sys.spawn("child", null, { capabilities: ["tool:look:call"] });
        return (await sys.wait(child)).output;
      },
      child: async (sys) => codeOf(sys.exec("look", {})),
    },
  });

  const pid = await kernel.spawn({ agent: "parent", capabilities: ["agent:*:spawn"] });

  expect((await kernel.wait(pid)).output).toBe("EACCES"); // and the reference says so too, at the end
});

test("policies that follow one another are each judged for their time, over a restart too", async () => {
  const step = async (kernel: Kernel) => {
    const pid = await kernel.spawn({ agent: "looker", capabilities: ["tool:look:call"] });
    return (await kernel.wait(pid)).output;
  };
  const policy = allowBut({ id: "no-look", deny: "tool:look" });
  const programs = { looker: async (sys: Sys) => codeOf(sys.exec("look", {})) };
  const first = await bootForTest({ policy, programs });
  const codes = [await step(first.kernel)];
  await first.kernel.loadPolicy(allowBut(), "ann");
  codes.push(await step(first.kernel));
  const second = await first.again();
  codes.push(await step(second.kernel));
  const third = await second.again({ policy: allowBut() });
  codes.push(await step(third.kernel));

  expect(codes).toEqual(["EPOLICY", "ok", "EPOLICY", "ok"]); // and all four are judged, at the end
});

test("what cannot be judged is counted, not passed over", async () => {
  const compare = await ranOnce("file:/work/*:read{max:1}");

  const { agreed, tally } = await compare({ from: Date.now() + 1000 });

  expect({ agreed, tally: [...tally] }).toEqual({
    agreed: 0,
    tally: [["under a policy that is not known", 2]],
  });
});
