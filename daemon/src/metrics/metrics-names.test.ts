// Every metric that the daemon has stands in docs/man/metrics.md, and no other does; dashboard and alerts name only those.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bootKernel } from "@aos/kernel";
import { beforeAll, expect, test } from "vitest";
import { MetricsSource } from "./metrics-source.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const namesIn = (text: string) => [...new Set(text.match(/\baos_[a-z0-9_]*[a-z0-9]/g))].toSorted();

let metrics: { name: string; type: string }[];
beforeAll(async () => {
  const kernel = await bootKernel({});
  const closing = new AbortController();
  const source = new MetricsSource({
    kernel,
    version: "0",
    closing: closing.signal,
    onMistake: () => {},
    exports: {},
  });
  const all = await (await source.registry()).getMetricsAsJSON();
  metrics = all.map(({ name, type }) => ({ name, type: String(type) }));
  closing.abort();
  await kernel.close();
});

/** As they are written in queries. */
const queried = () =>
  metrics.flatMap(({ name, type }) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );

test("the table of docs/man/metrics.md has every metric and its type, and nothing else", () => {
  const table = read("docs/man/metrics.md");
  const rows = [...table.matchAll(/^\| `(aos_\w+)` *\| (\w+)/gm)].map(([, name, type]) => ({
    name,
    type,
  }));

  expect(rows.length).toBeGreaterThan(40);
  // Of Linux: other systems have no such files.
  const isHere = ({ name = "" }: { name: string | undefined }) =>
    process.platform === "linux" || !/_fds$|virtual_memory|heap_bytes$/.test(name);
  expect(rows.filter(isHere)).toEqual(metrics);
});

test.each(["packaging/grafana/agent-os.json", "docs/alerts.yaml"])(
  "%s names metrics that there are",
  (file) => {
    const known = new Set(queried());
    const used = namesIn(read(file));

    expect(used.length).toBeGreaterThan(8);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  },
);

test("every panel of the dashboard asks something, of the chosen job and instance", () => {
  const { panels } = JSON.parse(read("packaging/grafana/agent-os.json")) as {
    panels: { type: string; title: string; targets?: { expr: string }[] }[];
  };

  for (const { type, title, targets = [] } of panels.filter((one) => one.type !== "row")) {
    expect({ title, type, asks: targets.length > 0 }).toMatchObject({ asks: true });
    for (const { expr } of targets) expect(expr).toContain('{job="$job",instance=~"$instance"}');
  }
});
