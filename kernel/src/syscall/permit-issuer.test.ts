// What changes while somebody is asked: the call is judged as it is when the answer is there.

import { expect, test } from "vitest";
import { execArgs, gateOf, saidBy } from "../../../tests/helpers/kernel/gate.ts";
import { identifyRun, inspectNothing } from "./run-identity.ts";
import {
  actionOf,
  grantTo,
  testJudgeRules,
  toolOf,
} from "../../../tests/helpers/kernel/process.ts";

const asks = (id: string) => testJudgeRules([{ id, ask: "exec" }]).policy();
const PAY2 = toolOf("pay2", { effect: "external" });
const ALL = ["tool:*:call"];

/** A gate whose policy is another after `change`. */
function changing(change: { readonly by: "hold" | "answer"; readonly to: readonly object[] }) {
  let policy = asks("first");
  const next = () => (policy = testJudgeRules(change.to).policy());
  const gate = gateOf({
    capabilities: ALL,
    judgeRules: { policy: () => policy },
    says: () => {
      if (change.by === "answer") next();
      return saidBy("ada");
    },
    services: {
      hold: async () => {
        if (change.by === "hold") next();
      },
    },
  });
  return gate;
}

test("nobody is asked about what nothing asks about any more once its process is held", async () => {
  const { pass, asked } = changing({ by: "hold", to: [] });

  expect(await pass("exec", execArgs("pay2"))).toBe("paid");
  expect(asked).toEqual([]);
});

test("PERMIT-ISSUER-2: a yes to one rule is none to the rule that asks instead of it now", async () => {
  const { pass, asked, records } = changing({
    by: "answer",
    to: [{ id: "second", ask: "exec" }],
  });

  expect(await pass("exec", execArgs("pay2"))).toBe("paid");
  expect(asked).toHaveLength(2);
  expect(records.at(-1)).toMatchObject({ verdict: expect.stringContaining("org/second") });
});

test("PERMIT-ISSUER-3: an always for what would run is an answer beforehand as well", async () => {
  const { gate, process } = gateOf({
    capabilities: ALL,
    rules: [{ id: "word", ask: "exec" }],
  });
  const exec = () => gate.wouldBe(process, "exec", execArgs("pay2"));
  expect(await exec()).toMatchObject({ allow: false });

  const action = actionOf(process, "exec", execArgs("pay2"), { tools: [PAY2] });
  const { digest: runs } = (await identifyRun(inspectNothing, process, action))!;
  grantTo(process, "always", ["tool:pay2:call"], { standing: "org/word", runs });

  expect(await exec()).toEqual({ allow: true });
});

test("a call that would be refused is refused beforehand as well", async () => {
  const { gate, process } = gateOf({ capabilities: [] });

  expect(await gate.wouldBe(process, "exec", execArgs("pay2"))).toMatchObject({
    allow: false,
    code: "EACCES",
  });
});
