import { stripVTControlCharacters } from "node:util";
import type { ProcessInfo, SlotReport } from "@aos/protocol/words";
import { expect, test } from "vitest";
import { modelLines, renderTop, renderTopOnce, visibleRows } from "./picture.ts";
import { firstView, type ProcessSnapshot } from "./view.ts";

const process = (nth: number, more: Partial<ProcessInfo> = {}): ProcessInfo =>
  ({
    pid: `agt_${String(nth).padStart(4, "0")}`,
    agent: "writer",
    state: "running",
    waitingOn: null,
    exitCode: null,
    lane: "normal",
    costUsd: 0.25,
    startedAt: "2026-01-01T00:00:00.000Z",
    ...more,
  }) as ProcessInfo;

const slot = (model: string, more: Partial<SlotReport> = {}): SlotReport => ({
  model,
  limits: { concurrency: 4, requestsPerMinute: null, tokensPerMinute: null },
  running: 0,
  queued: 0,
  breaker: "closed",
  requests: 1,
  failures: 0,
  retries: 0,
  fallbacks: 0,
  p50Ms: 120,
  p95Ms: 12_000,
  waitP50Ms: 0,
  waitP95Ms: 3,
  lastFailure: null,
  ...more,
});

const lookAt = (processes: ProcessInfo[], slots: SlotReport[] = []): ProcessSnapshot => ({
  atMs: Date.parse("2026-01-01T00:02:00.000Z"),
  processes,
  ended: [process(99, { state: "failed", exitCode: 96 })],
  models: [],
  queue: {
    running: 2,
    limit: 10,
    queued: { critical: 0, high: 1, normal: 3, low: 0, background: 7 },
    queueLimit: 100,
    slots,
    mailboxes: [],
  },
});

test("one picture has the counts, the queue, the models and the processes", () => {
  const look = lookAt(
    [process(1), process(2, { state: "waiting", waitingOn: "slot", lane: "high" })],
    [slot("lab/a", { running: 2, queued: 5, failures: 1, breaker: "open" })],
  );

  const lines = stripVTControlCharacters(renderTopOnce(look)).split("\n");

  expect(lines[0]).toBe(
    "aos top  1 running, 1 waiting, 0 paused, 0 pending  spent by these $0.5000  00:02:00",
  );
  expect(lines[1]).toBe(
    "running trees 2 of 10   start queue: critical 0, high 1, normal 3, low 0, background 7 (of 100)",
  );
  expect(lines).toContainEqual(
    expect.stringMatching(/^lab\/a +2 +5 +4 +120 ms +12 s +3 ms +1 +1 +open$/),
  );
  expect(lines.at(-1)).toMatch(/agt_0002 +writer +waiting \(slot\) +high +\$0\.2500 +2m$/);
});

test.each([
  { columns: 40, rows: 12 },
  { columns: 200, rows: 50 },
  { columns: 10, rows: 3 },
  { columns: 1, rows: 1 },
])("TOP-PICTURE-1: it fits $columns × $rows", (size) => {
  const slots = Array.from({ length: 30 }, (_, nth) => slot(`lab/${nth}`));
  const look = lookAt(
    Array.from({ length: 80 }, (_, nth) => process(nth)),
    slots,
  );

  const picture = renderTop(firstView(look), size).map(stripVTControlCharacters);

  expect(picture).toHaveLength(size.rows);
  expect(Math.max(...picture.map((line) => line.length))).toBeLessThanOrEqual(size.columns);
});

test("TOP-PICTURE-1: the chosen process is in it, wherever it stands", () => {
  const look = lookAt(Array.from({ length: 80 }, (_, nth) => process(nth)));
  for (const nth of [0, 40, 79]) {
    const chosen = process(nth).pid;

    const picture = renderTop({ ...firstView(look), chosen }, { columns: 120, rows: 20 });

    expect(picture.filter((line) => line.includes(`>  ${chosen}`))).toHaveLength(1);
  }
});

test("those that ended are below the others, with how they ended", () => {
  const view = firstView(lookAt([process(1)]));
  const size = { columns: 120, rows: 20 };
  const lines = (of: typeof view) => renderTop(of, size).map(stripVTControlCharacters);

  expect(lines(view).join("\n")).not.toContain("agt_0099");
  expect(lines({ ...view, showsEnded: true })).toContainEqual(
    expect.stringMatching(/agt_0099 +writer +failed 96 /),
  );
});

test("what an agent is called does not move the cursor", () => {
  const look = lookAt([process(1, { agent: "x\u001b[2J\u202e" })]);

  expect(renderTopOnce(look)).not.toContain("\u001b[2J");
  expect(renderTopOnce(look)).not.toContain("\u202e");
});

test("the last line asks before a process is ended, else says what was done", () => {
  const view = firstView(lookAt([process(1)]));
  const foot = (more: object) => renderTop({ ...view, ...more }, { columns: 100, rows: 20 }).at(-1);

  expect(foot({})).toContain("q leave");
  expect(foot({ ending: "agt_0001" })).toContain("End agt_0001?");
  expect(foot({ word: "SIGSTOP was\nsent" })).toBe("SIGSTOP was sent");
});

test("one process in full takes the place of the rest", () => {
  const view = { ...firstView(lookAt([process(1)])), detail: "pid: agt_0001\nstate: running" };

  const picture = renderTop(view, { columns: 100, rows: 5 }).map(stripVTControlCharacters);

  expect(picture).toEqual(["pid: agt_0001", "state: running", "", "", "any key goes back"]);
});

test("of many models the busiest are shown, and how many more there are", () => {
  const slots = [slot("a/idle"), slot("b/busy", { running: 1 }), slot("c/idle"), slot("d/idle")];

  const lines = modelLines(slots, 3).map(stripVTControlCharacters);

  expect(lines[1]).toContain("b/busy");
  expect(lines[2]).toBe("… and 3 more");
  expect(modelLines([], 3)).toEqual([expect.stringContaining("no model request yet")]);
});

test("a window is around what is chosen, and never beyond the ends", () => {
  const rows = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

  expect(visibleRows(rows, 0, 4)).toEqual([0, 1, 2, 3]);
  expect(visibleRows(rows, 5, 4)).toEqual([3, 4, 5, 6]);
  expect(visibleRows(rows, 9, 4)).toEqual([6, 7, 8, 9]);
  expect(visibleRows(rows, -1, 4)).toEqual([0, 1, 2, 3]);
  expect(visibleRows([1], 0, 4)).toEqual([1]);
});
