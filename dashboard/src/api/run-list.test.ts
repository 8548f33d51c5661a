import type { ProcessId, ProcessInfo } from "@aos/protocol/words";
import { expect, test, vi } from "vitest";

// The page's own daemon is of a browser: `location` is not here.
vi.stubGlobal("location", { origin: "http://localhost" });
const { fits, withFirstPage, withRuns } = await import("./run-list.ts");

const run = (pid: string, more: Partial<ProcessInfo> = {}): ProcessInfo => ({
  pid: pid as ProcessId,
  agent: "writer",
  name: null,
  state: "running",
  waitingOn: null,
  parent: null,
  exitCode: null,
  costUsd: 0,
  startedAt: "2026-01-01T00:00:00.000Z",
  endedAt: null,
  lane: "normal",
  deadline: null,
  mailbox: { depth: 0, oldestAt: null },
  ...more,
});

const pids = ({ rows }: { rows: readonly ProcessInfo[] }) => rows.map(({ pid }) => pid);
const all = (...rows: ProcessInfo[]) => ({ rows, hasOlder: false });

test("a changed run takes the place of its row, a new one comes first, a removed one goes (RUN-LIST-1)", () => {
  const had = all(run("agt_3"), run("agt_2"), run("agt_1"));
  const fresh = [run("agt_4"), run("agt_2", { state: "completed" })];

  const now = withRuns(had, {}, ["agt_4", "agt_2", "agt_1"], fresh);

  expect(pids(now)).toEqual(["agt_4", "agt_3", "agt_2"]);
  expect(now.rows[2]!.state).toBe("completed");
});

test("a run that the filter no longer fits leaves the list, and one that it fits now enters it", () => {
  const failed = { states: ["failed"] } as const;
  const isNowFailed = run("agt_2", { state: "failed" });

  expect(
    pids(withRuns(all(run("agt_2")), { states: ["running"] }, ["agt_2"], [isNowFailed])),
  ).toEqual([]);
  expect(pids(withRuns(all(), failed, ["agt_2"], [isNowFailed]))).toEqual(["agt_2"]);
});

test("a run older than what was loaded is not put at the end, where others are missing before it", () => {
  const had = { rows: [run("agt_5"), run("agt_4")], hasOlder: true };

  expect(withRuns(had, {}, ["agt_1"], [run("agt_1")])).toBe(had);
});

test("a first page replaces its range, and keeps what is older (RUN-LIST-2)", () => {
  const page = Array.from({ length: 200 }, (_, n) => run(`agt_${900 - n}`));
  const had = { rows: [run("agt_850x"), run("agt_500"), run("agt_400")], hasOlder: false };

  const now = withFirstPage(had, page);

  expect(pids(now)).toEqual([...page.map(({ pid }) => pid), "agt_500", "agt_400"]);
  expect(now.hasOlder).toBe(false);
  expect(withFirstPage(undefined, page).hasOlder).toBe(true);
  expect(withFirstPage(had, page.slice(0, 3))).toEqual({ rows: page.slice(0, 3), hasOlder: false });
});

test("the page chooses as the daemon does", () => {
  const clerk = run("agt_1", { agent: "Mail Clerk", parent: "agt_0" as ProcessId });

  expect(fits({ find: "mail" }, clerk)).toBe(true);
  expect(fits({ find: "t_1" }, clerk)).toBe(true);
  expect(fits({ find: "t_2" }, clerk)).toBe(false);
  expect(fits({ parent: "agt_0", since: clerk.startedAt }, clerk)).toBe(true);
  expect(fits({ since: "2026-01-01T00:00:01Z" }, clerk)).toBe(false);
  expect(fits({ pids: ["agt_2"] }, clerk)).toBe(false);
});
