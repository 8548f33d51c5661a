// What Prometheus makes of our metrics and of the alerts that we suggest, by its own tool; and that the
// documents name what there is.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { promtool } from "../../../scripts/components.ts";
import { ROOT } from "../home.ts";
import { createRig, type Rig } from "./rig.ts";

const command = promtool();
const noPromtool = command === undefined;
const ALERTS = join(ROOT, "docs", "alerts.yaml");

function check(words: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(command!, ["check", ...words], {
    input,
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
}

let rig: Rig;
let text: string;
beforeAll(async () => {
  rig = createRig();
  rig.agent("caller", {
    turns: "  - call: [{ tool: echo, args: { text: hi } }]\n  - say: done\n",
    tools: "[echo]",
    capabilities: ["tool:echo:call"],
  });
  await rig.home.aos("up", "-d");
  const { token } = await rig.client.createAccessToken({ role: "viewer", name: "prometheus" });
  const { url } = await rig.client.status();
  const scrape = async () => {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return answer.text();
  };
  await scrape(); // from here on what passes by is counted
  const { pid } = await rig.client.spawn({ agent: "caller" });
  await rig.client.wait({ pid });
  do text = await scrape();
  while (!text.includes("aos_processes_ended_total{"));
});
afterAll(() => rig.home.remove());

test.skipIf(noPromtool)("promtool has nothing against the metrics", () => {
  expect(check(["metrics"], text)).toEqual({ status: 0, said: "" });
});

test.skipIf(noPromtool)("promtool has nothing against the alerts", () => {
  const { status, said } = check(["rules", "--lint=all", "--lint-fatal", ALERTS]);

  expect({ status, said }).toMatchObject({ status: 0, said: expect.stringContaining("SUCCESS") });
});

test.skipIf(noPromtool)("each alert fires when it should, and not before", () => {
  const tests = join(ROOT, "packaging", "alerts", "alerts.test.yaml");
  const { status, stdout, stderr } = spawnSync(command!, ["test", "rules", tests], {
    encoding: "utf8",
  });
  const { groups } = parse(readFileSync(ALERTS, "utf8")) as {
    groups: { rules: { alert: string }[] }[];
  };
  const tested = readFileSync(tests, "utf8");

  expect({ status, said: stdout + stderr }).toMatchObject({ status: 0 });
  for (const { alert } of groups.flatMap(({ rules }) => rules))
    expect(tested).toMatch(new RegExp(`alertname: ${alert}\\n\\s+exp_alerts`));
});

const namesIn = (some: string): Set<string> => new Set(some.match(/\baos_[a-z0-9_]*[a-z0-9]/g));
const ours = () =>
  [...text.matchAll(/^# TYPE (\S+)/gm)]
    .map(([, name]) => name!)
    .filter((name) => !/^aos_(process_|nodejs_)/.test(name));

test("every metric of ours stands in docs/man/metrics.md", () => {
  const documented = namesIn(readFileSync(join(ROOT, "docs", "man", "metrics.md"), "utf8"));

  expect(ours().filter((name) => !documented.has(name))).toEqual([]);
  expect(ours().length).toBeGreaterThan(15);
});

test("the alerts speak of metrics that there are", () => {
  const { groups } = parse(readFileSync(ALERTS, "utf8")) as {
    groups: { rules: { expr: string }[] }[];
  };
  const there = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const used = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => [...namesIn(expr)]));

  expect(used.filter((name) => !there.has(name))).toEqual([]);
});
