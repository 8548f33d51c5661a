// What becomes of an item whose attempt failed, and which version it gets.

import { expect, test } from "vitest";
import { afterFailure, isPoisonous } from "./attempt-rule.ts";
import { itemVersion } from "./item-version.ts";

const rule = { attempts: 3, backoff: 1000, maxBackoff: 1500, afterEffects: "stop" } as const;
const failed = (more: object = {}) => ({
  attempt: 1,
  crashes: 0,
  effects: 0,
  reason: "no",
  ...more,
});

test("waits, longer each time, until its attempts are used; deaths of the host are attempts (ATTEMPT-RULE-1)", () => {
  expect(afterFailure(rule, failed())).toEqual({ state: "waiting", afterMs: 1000, reason: "no" });
  expect(afterFailure(rule, failed({ attempt: 2 }))).toMatchObject({ afterMs: 1500 });
  expect(afterFailure(rule, failed({ attempt: 3 }))).toMatchObject({ state: "dead" });
  expect(afterFailure(rule, failed({ crashes: 2 }))).toMatchObject({ state: "dead" });
  expect(isPoisonous(rule, { attempt: 1, crashes: 2 })).toBe(false);
  expect(isPoisonous(rule, { attempt: 1, crashes: 3 })).toBe(true);
});

test("what was done outside is not done again unless the fleet says so (ATTEMPT-RULE-2)", () => {
  const acted = failed({ effects: 2 });

  expect(afterFailure(rule, acted)).toMatchObject({ state: "dead" });
  expect(afterFailure({ ...rule, afterEffects: "retry" }, acted)).toMatchObject({
    state: "waiting",
  });
});

test("all attempts at an item get the same version, by its id or by the order (ITEM-VERSION-1)", () => {
  const roll = { to: 2, share: 0.3, first: undefined, isPaused: false };
  const ids = Array.from({ length: 1000 }, (_, nth) => `item-${nth}`);
  const chosen = ids.filter((id) => itemVersion(id, null, 1, roll, 0) === 2);

  expect(chosen.length).toBeGreaterThan(200);
  expect(chosen.length).toBeLessThan(400);
  expect(ids.filter((id) => itemVersion(id, null, 1, roll, 0) === 2)).toEqual(chosen);
  expect(itemVersion("a", 1, 1, { ...roll, share: 1 }, 0)).toBe(1);
  expect(itemVersion("a", 2, 1, { ...roll, share: 0.0001 }, 0)).toBe(2);
  expect(itemVersion("a", 2, 1, { ...roll, share: 1, isPaused: true }, 0)).toBe(1);
  expect(itemVersion("a", null, 1, { ...roll, first: 3 }, 2)).toBe(2);
  expect(itemVersion("a", null, 1, { ...roll, first: 3 }, 3)).toBe(1);
  expect(itemVersion("a", 2, 1, undefined, 0)).toBe(1);
});
