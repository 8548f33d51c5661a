import { expect, test } from "vitest";
import { compileLayer } from "../policy-formats/compile.ts";
import { subject } from "../../../tests/helpers/kernel/policy-subject.ts";
import { Policies, type PolicyLayerSource } from "./policies.ts";

const allowAll = { id: "rest", allow: "*" };
const source = (layer: string, rules: readonly object[] = [allowAll]): PolicyLayerSource => ({
  layer,
  format: "policy",
  origin: `${layer}.yaml`,
  document: { version: 1, rules },
});

function policiesOf(sources: readonly PolicyLayerSource[], rows: object[] = []) {
  let nowMs = Date.parse("2027-01-04T09:30:00Z");
  const asked: string[] = [];
  const parts = {
    store: {
      blocksWith: async (prefix: string) => {
        asked.push(prefix);
        return rows.map((state) => ({ state: JSON.stringify(state) }));
      },
    },
    platform: { now: () => (nowMs += 1000) },
    devices: { toolNames: ["file.read"], isToolName: (name: string) => name.startsWith("mcp.") },
    compileLayer,
    channels: ["finance"],
  };
  return { policies: new Policies(parts as never, sources), asked };
}
const errorOf = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

test("POLICIES-1: with one bad rule nothing changes, and every problem names its text", () => {
  const { policies } = policiesOf([source("org")]);
  const before = policies.current;
  const bad = [source("org"), source("one", [{ allow: 5 }]), source("two", [{ id: "x", deny: 6 }])];

  const error = errorOf(() => policies.replace(bad)) as { detail: { problems: object[] } };

  expect(error).toMatchObject({ code: "EINVAL" });
  const origins = error.detail.problems.map((one) => (one as { origin: string }).origin);
  expect(new Set(origins)).toEqual(new Set(["one.yaml", "two.yaml"]));
  expect((error as unknown as Error).message).toContain("two.yaml: ");
  const single = [source("org"), source("one", [{ id: "x", allow: "tool:none" }])];
  const { detail } = errorOf(() => policies.replace(single)) as typeof error;
  expect(detail.problems).toHaveLength(1);
  expect(policies.current).toBe(before);
});

test("POLICIES-1: what is no problem of the text is not told as one", () => {
  const { policies } = policiesOf([source("org")]);
  const broken = { ...source("org"), format: "policy" as const, document: undefined };
  Object.defineProperty(broken, "document", {
    get: () => {
      throw new RangeError("a bug");
    },
  });

  expect(() => policies.compile([broken])).toThrow(RangeError);
});

test("a policy without a layer, or without one that binds everyone, is refused", () => {
  const { policies } = policiesOf([source("org")]);
  const before = policies.current;

  expect(errorOf(() => policies.replace([]))).toMatchObject({ code: "EINVAL" });
  expect(errorOf(() => policies.replace([source("project:/a")]))).toMatchObject({ code: "EINVAL" });
  expect(policies.current).toBe(before);
  expect(policies.layersFor({ layers: [] })).toEqual(["org"]);
  expect(errorOf(() => policiesOf([source("project:/a")]))).toMatchObject({ code: "EINVAL" });
});

test("POLICIES-3: a layer of a project binds who was started there, and all others bind everyone", () => {
  const { policies } = policiesOf([source("org"), source("project:/a"), source("team")]);
  const there = ["project:/a"];

  expect(policies.layersFor({ layers: [] })).toEqual(["org", "team"]);
  expect(policies.layersFor({ layers: there })).toEqual(["org", "team", "project:/a"]);
  expect(policies.layersFor({ layers: there })).toBe(policies.layersFor({ layers: there }));

  policies.replace([source("new")]);

  expect(policies.layersFor({ layers: there })).toEqual(["new", "project:/a"]);
  const verdict = policies.current.decide(subject(), policies.layersFor({ layers: there }));
  expect(verdict.effect).toBe("deny"); // its layer is not loaded any more
});

test("lists of layers are remembered up to a number, and then all are forgotten", () => {
  const { policies } = policiesOf([source("org")]);
  const first: string[] = [];
  const known = policies.layersFor({ layers: first });

  for (let i = 0; i < 10_000; i++) policies.layersFor({ layers: [`project:${i}`] });
  expect(policies.layersFor({ layers: first })).toBe(known);
  policies.layersFor({ layers: [] });
  expect(policies.layersFor({ layers: first })).not.toBe(known);
});

test("a report says which layers there are, and since when", () => {
  const { policies } = policiesOf([source("org")]);
  const before = policies.report();
  expect(before).toEqual({
    layers: [expect.objectContaining({ name: "org" })],
    loadedAt: "2027-01-04T09:30:01.000Z",
  });

  expect(policies.replace([source("new")])).toEqual({
    layers: [expect.objectContaining({ name: "new" })],
    loadedAt: "2027-01-04T09:30:02.000Z",
  });
  expect(policies.report().layers).toHaveLength(1);
});

test("POLICIES-2: what was used of a rate is kept, goes on over a change, and after a restart", async () => {
  const limited = source("org", [{ id: "few", allow: "*", rate: "2/min" }]);
  const { policies } = policiesOf([limited]);
  const nowMs = subject().atMs;
  const { rates: uses } = policies.current.decide(subject(), ["org"]);
  policies.rates.charge(uses, nowMs);
  policies.rates.charge(uses, nowMs);

  policies.replace([limited]);
  expect(policies.current.decide(subject(), ["org"]).effect).toBe("deny");
  const writes = policies.writes(uses);
  expect(writes).toMatchObject([{ op: "block.put", tenant: 0 }]);
  expect(policies.writes([{ key: "rate:other", count: 1, perMs: 1 }])).toEqual([]);

  const row = JSON.parse((writes[0] as { state: string }).state) as object;
  const again = policiesOf([limited], [row]);
  expect(again.policies.current.decide(subject(), ["org"]).effect).toBe("allow");
  await again.policies.begin();
  expect(again.asked).toEqual(["rate:"]);
  expect(again.policies.current.decide(subject(), ["org"]).effect).toBe("deny");
});

test("rules may speak of tools that are there and of those that may come, and of known people", () => {
  const { policies } = policiesOf([source("org")]);
  const compile = (rule: object) => errorOf(() => policies.compile([source("org", [rule])]));
  const isRefused = (rule: object) => compile(rule) instanceof Error;

  expect(isRefused({ id: "x", allow: "tool:file.read" })).toBe(false);
  expect(isRefused({ id: "x", allow: "tool:mcp.later" })).toBe(false);
  expect(isRefused({ id: "x", allow: "tool:file.raed" })).toBe(true);
  expect(isRefused({ id: "x", ask: "*", channel: "finance" })).toBe(false);
  expect(isRefused({ id: "x", ask: "*", channel: "fiance" })).toBe(true);
});
