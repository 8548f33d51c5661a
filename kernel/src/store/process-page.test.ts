import { DatabaseSync } from "node:sqlite";
import { liveStates } from "@aos/protocol";
import { expect, test } from "vitest";
import { LEFT } from "./claim.ts";
import { processPage } from "./process-page.ts";
import type { ProcessQuery } from "./queries.ts";
import { sharedReads } from "./reads.ts";
import { steps } from "./schema.ts";

const db = new DatabaseSync(":memory:");
for (const step of steps) for (const sql of step.statements("sqlite")) db.exec(sql);

const planOf = (sql: string, values: readonly (string | number | null | Uint8Array)[]): string[] =>
  db
    .prepare(`explain query plan ${sql}`)
    .all(...values)
    .map((row) => String(row["detail"]));

/** How the rows of `process` are found that may be on a page. */
const walksOf = (query: ProcessQuery): string[] => {
  const { sql, values } = processPage("agent", query);
  const plan = planOf(sql, values as never).filter((line) => / process\b/.test(line));
  expect(plan.pop()).toBe("SEARCH process USING INTEGER PRIMARY KEY (rowid=?)"); // those on it
  return [...new Set(plan)];
};

test.each<[string, ProcessQuery, string]>([
  ["all", {}, "SCAN process USING COVERING INDEX sqlite_autoindex_process_1"],
  [
    "all, the next page",
    { before: "agt_1" },
    "SEARCH process USING COVERING INDEX sqlite_autoindex_process_1 (pid<?)",
  ],
  [
    "those with a beginning",
    { prefix: "agt_1" },
    "SEARCH process USING COVERING INDEX sqlite_autoindex_process_1 (pid>? AND pid<?)",
  ],
  [
    "the living",
    { states: liveStates },
    "SEARCH process USING COVERING INDEX process_by_state (state=?)",
  ],
  [
    "those in a state, the next page",
    { states: ["failed"], before: "agt_1" },
    "SEARCH process USING COVERING INDEX process_by_state (state=? AND pid<?)",
  ],
  [
    "a tenant's",
    { tenant: 2 },
    "SEARCH process USING COVERING INDEX process_of_tenant (tenant=? AND state=?)",
  ],
  [
    "a tenant's in a state, the next page",
    { tenant: 2, states: ["failed", "killed"], before: "agt_1" },
    "SEARCH process USING COVERING INDEX process_of_tenant (tenant=? AND state=? AND pid<?)",
  ],
  [
    "some of a tenant",
    { pids: ["agt_1", "agt_2"], tenant: 2 },
    "SEARCH process USING INDEX sqlite_autoindex_process_1 (pid=?)",
  ],
  [
    "the children of one",
    { parent: 1 },
    "SEARCH process USING COVERING INDEX process_children (parent=?)",
  ],
  [
    "the children of a tenant's in a state",
    { tenant: 2, parent: 1, states: ["failed"] },
    "SEARCH process USING INDEX process_children (parent=?)",
  ],
  [
    "the children of a tenant's in a state, the next page",
    { tenant: 2, parent: 1, states: ["failed"], before: "agt_1" },
    "SEARCH process USING INDEX process_children (parent=? AND pid<?)",
  ],
  [
    "those that wait to begin on a node",
    { states: ["pending"], node: "a" },
    "SEARCH process USING COVERING INDEX process_by_state (state=?)",
  ],
])("%s: a page is read by one index, in its order (PROCESS-PAGE-1)", (_, query, walk) => {
  expect(walksOf(query)).toEqual([walk]);
});

test("each walk ends with its limit, and what they find is read in order (PROCESS-PAGE-1, PROCESS-PAGE-2)", () => {
  const { sql, values } = processPage("agent", { states: ["failed", "killed"], limit: 7 });

  expect(values).toEqual(["failed", 7, "killed", 7, 7]);
  expect(planOf(sql, values as never)).toContain("MERGE (UNION ALL)");
});

test("a state that is named twice is walked once", () => {
  const { values } = processPage("agent", { states: ["failed", "failed"], limit: 7 });

  expect(values).toEqual(["failed", 7, 7]);
});

/** Reads, and the plans of what they have asked. */
function plannedReads() {
  const plans: string[][] = [];
  const reads = sharedReads(async (sql, values) => {
    plans.push(planOf(sql, values as never));
    return [];
  });
  return { reads, plans };
}

test("how many there are in each state is counted in an index alone, of a tenant as well", async () => {
  const { reads, plans } = plannedReads();
  await reads.countByState();
  await reads.countByState(2);
  await reads.tenants();

  const [all, ofOne, , ofEach] = plans;
  expect(all).toEqual(["SCAN process USING COVERING INDEX process_by_state"]);
  expect(ofOne).toEqual(["SEARCH process USING COVERING INDEX process_of_tenant (tenant=?)"]);
  expect(ofEach).toEqual(["SCAN process USING COVERING INDEX process_of_tenant"]);
});

test("what a node takes over is found by its state, and not among all that have ended", () => {
  const plan = planOf(LEFT, [0]);

  expect(plan[0]).toBe("SEARCH process USING INDEX process_by_state (state=?)");
});

test("those whose time has come are found by their time, and not among all that wait", async () => {
  const { reads, plans } = plannedReads();
  await reads.due("a", 1);

  for (const plan of plans)
    expect(plan[0]).toMatch(/^SEARCH process USING INDEX process_wake \(wake_at>\?/);
});
