import { expect, test } from "vitest";
import { subject, touchFrom } from "../../../tests/helpers/kernel/policy-subject.ts";
import { ConditionView } from "./condition-view.ts";

test("POLICY-VIEW-1: what is not there is empty, and of its type", () => {
  const { tool, model, target, label, resources, paths, hosts, sinks } = new ConditionView(
    subject(),
  );

  expect({ tool, model, target, label, resources, paths, hosts, sinks }).toEqual({
    tool: "",
    model: "",
    target: { pid: "", agent: "" },
    label: { integrity: "trusted", secrecy: "public", colour: "BLUE", tags: [] },
    resources: [],
    paths: [],
    hosts: [],
    sinks: [],
  });
});

test("paths are those of files and of the virtual file system, hosts those of requests and pages", () => {
  const touches = [
    touchFrom("tool:file.read:call"),
    touchFrom("file:/work/a:read"),
    touchFrom("memory:/mem/a:read"),
    touchFrom("http:https://API.example.com:8443/v1:get"),
    touchFrom("browser:Example.org/x:read"),
    touchFrom("http:not a host:get"),
  ];

  const view = new ConditionView(subject({ touches }));

  expect(view.paths).toEqual(["/work/a", "/mem/a"]);
  expect(view.hosts).toEqual(["api.example.com", "example.org", "not a host"]);
  expect(view.resources).toMatchObject(touches);
});

test("POLICY-VIEW-2: times are UTC, and no call sees the time of another", () => {
  const at = (moment: string) => new ConditionView(subject({ atMs: Date.parse(moment) })).time;

  expect(at("2027-01-03T23:59:59.999Z")).toMatchObject({
    hour: 23n,
    minute: 59n,
    weekday: 7n,
    ms: 1_799_020_799_999n,
    date: "2027-01-03",
  });
  expect(at("2027-01-04T00:00:00Z")).toMatchObject({ hour: 0n, weekday: 1n, date: "2027-01-04" });
});

test("half a token counts as a whole one", () => {
  const spent = { usd: 0.5, tokens: 10.2, toolCalls: 1 };

  expect(new ConditionView(subject({ spent })).spent).toMatchObject({
    usd: 0.5,
    tokens: 11n,
    toolCalls: 1n,
  });
});
