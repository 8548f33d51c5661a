// What is asked of a policy beside its verdict.

import { expect, test } from "vitest";
import {
  operatorLayer,
  policyOf,
  subject,
  touchFrom,
} from "../../../tests/helpers/kernel/policy-subject.ts";
import { Policy } from "./engine.ts";
import { Rates } from "./rates.ts";

const RED = { integrity: "untrusted", secrecy: "public" } as const;
const rest = { id: "rest", allow: "*" };

test("the same layers, counted anew, have the same rules and all of their rates", () => {
  const policy = policyOf([{ id: "few", allow: "*", rate: "1/h" }]);
  policy.rates.charge(policy.decide(subject(), ["org"]).rates, subject().atMs);
  const rates = new Rates();

  const anew = policy.withRates(rates);

  expect(policy.decide(subject(), ["org"]).effect).toBe("deny");
  expect(anew.decide(subject(), ["org"])).toMatchObject({ effect: "allow", rule: "org/few" });
  expect(anew.rates).toBe(rates);
});

test("the rules that ask about a call as a whole are told without what it touches", () => {
  const touches = [touchFrom("file:/work/a:write")];
  const ofAll = policyOf([rest, { id: "all", ask: "*" }]);
  const ofFiles = policyOf([rest, { id: "files", ask: "file:/**:write" }]);

  expect(ofAll.asksOfCall(subject({ touches }), ["org"])).toBe("org/all");
  expect(ofFiles.decide(subject({ touches }), ["org"]).effect).toBe("ask");
  expect(ofFiles.asksOfCall(subject({ touches }), ["org"])).toBe("");
});

const labelling = (name: string, of: string) =>
  operatorLayer(name, [rest], { labels: [{ of, label: "untrusted/public" }] });

test("a layer with one label labels what it names, whatever the layers beside it label", () => {
  const policy = new Policy([operatorLayer("org", [rest]), labelling("team", "file:/in/**")]);
  const labelOf = (text: string) => policy.labelOf([touchFrom(text)], undefined, ["org", "team"]);

  expect(labelOf("file:/in/a:read")).toEqual(RED);
  expect(labelOf("file:/out/a:read")).toBeUndefined();
});

test.each([
  ["a label of files", "file:/in/**", true],
  ["a label of hosts", "http:*", false],
  ["a label of a tool", "tool:file.read", false],
])("%s is one of files or not", (_what, of, isOfFiles) => {
  const policy = new Policy([operatorLayer("org", [rest]), labelling("team", of)]);

  expect(policy.labelsFiles(["org"])).toBe(false);
  expect(policy.labelsFiles(["org", "team"])).toBe(isOfFiles);
  expect(policy.labelsFiles(["org", "gone"])).toBe(true); // a layer that is not loaded may label any
});

test("a label of everything is one of files", () => {
  const layer = operatorLayer("team", [rest]);
  Object.defineProperty(layer, "labels", { value: [{ selectors: [{ by: "all" }], label: RED }] });

  expect(new Policy([layer]).labelsFiles(["team"])).toBe(true);
});
