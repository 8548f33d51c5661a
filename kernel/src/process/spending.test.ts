import { SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import { NOTHING } from "../budget/accounts.ts";
import { callOf, TEST_NOW, processOf } from "../../../tests/helpers/kernel/process.ts";
import { costOfFailed, recordLostWork, takeLostWork } from "./spending.ts";

const worst = { microUsd: 10_000, tokens: 100, toolCalls: 0 };
const purpose = { nowMs: TEST_NOW, what: "model:far/x" };

test("what is stopped at work is settled at once for all that it could cost, and told of once", () => {
  const process = processOf({ budget: { usd: 1 } });
  const hold = process.account.reserve(worst, purpose);
  const waiting = process.account.reserve(worst, purpose);
  process.pending.set(1, callOf("infer", { model: "far/x" }, { waitsOn: "model", hold }));
  process.pending.set(2, callOf("infer", { model: "far/x" }, { waitsOn: "slot", hold: waiting }));

  recordLostWork(process, TEST_NOW);
  hold.settle(NOTHING, TEST_NOW); // whoever comes later changes nothing

  expect(process.account).toMatchObject({ microUsd: 10_000, tokens: 100 });
  const { spend, cost } = takeLostWork(process);
  expect(spend).toMatchObject([{ what: "model:far/x", agent: "writer", calls: 1, ...worst }]);
  expect(cost).toEqual({ usd: 0.01, tokens: 100 });
  expect(takeLostWork(process)).toEqual({ spend: [], cost: {} });
});

test("a model that was stopped may have cost it all; one that failed, what it says and its tries before", () => {
  const hold = processOf({}).account.reserve(worst, purpose);
  const call = callOf("infer", {}, { waitsOn: "model", hold });
  const tried = { microUsd: 2000, tokens: 5, toolCalls: 0 };
  const failed = new SysError("EUPSTREAM", "cut off", { detail: { spent: { usd: 0.001 } } });
  const refused = new SysError("EACCES", "revoked");

  expect(costOfFailed({ ...call, isStopped: true }, refused)).toEqual(worst);
  expect(costOfFailed(call, refused)).toEqual(NOTHING);
  expect(costOfFailed({ ...call, tried }, failed)).toMatchObject({ microUsd: 3000, tokens: 105 });
  expect(costOfFailed({ ...call, tried, waitsOn: "slot" }, refused)).toEqual(tried);
});
