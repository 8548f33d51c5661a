import { expect, test } from "vitest";
import { isProbing } from "./probing.ts";
import { TEST_NOW, processOf } from "../../../tests/helpers/kernel/process.ts";

const MINUTE = 60_000;

test("more refusals within a minute than the limit are probing", () => {
  const process = processOf({});
  const refused = (afterMs: number, code = "EACCES") =>
    isProbing(process, code, TEST_NOW + afterMs, 2);

  expect([refused(0), refused(1, "EPOLICY"), refused(2)]).toEqual([false, false, true]);
});

test("what was refused a minute ago does not count any more", () => {
  const process = processOf({});
  const refused = (afterMs: number) => isProbing(process, "EACCES", TEST_NOW + afterMs, 1);

  expect(refused(0)).toBe(false);
  expect(refused(MINUTE)).toBe(false);
  expect(refused(2 * MINUTE - 1)).toBe(true);
});

test("a failure that is no refusal is never probing", () => {
  const process = processOf({});

  for (const code of ["EINVAL", "ENOENT", "EBUDGET", "EAGAIN"])
    expect(isProbing(process, code, TEST_NOW, 0)).toBe(false);
  expect(process.denials).toEqual([]);
});
