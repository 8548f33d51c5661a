import { expect, test } from "vitest";
import { filterOf } from "./filters.ts";

const by = { nowMs: Date.parse("2026-01-02T00:00:30Z"), asking: ["agt_1"] };

test("what the address says is what the daemon is asked for", () => {
  expect(filterOf({}, by)).toEqual({});
  expect(filterOf({ show: "live", find: "  mail " }, by)).toEqual({
    states: ["pending", "running", "waiting", "paused"],
    find: "mail",
  });
  expect(filterOf({ show: "failed" }, by)).toEqual({ states: ["failed", "killed"] });
  expect(filterOf({ show: "asking" }, by)).toEqual({ pids: ["agt_1"] });
});

test("a span of time begins with a minute, so that it is one request while it is looked at", () => {
  expect(filterOf({ span: "day" }, by)).toEqual({ since: "2026-01-01T00:00:00.000Z" });
  expect(filterOf({ span: "day" }, { ...by, nowMs: by.nowMs + 1 })).toEqual(
    filterOf({ span: "day" }, by),
  );
});
