// docs/man/create-kernel.md has every option of `createKernel` (the compiler compares kernel-options.ts with the type),
// and every part of one with its default and its meaning.

import { expect, test } from "vitest";
import { defaultAdmission, defaultApprovals, defaultLimits, defaultRetention } from "@aos/kernel";
import { kernelOptionRows } from "../../scripts/man/kernel-options.ts";

const groups = {
  admission: defaultAdmission,
  approvals: defaultApprovals,
  limits: defaultLimits,
  retention: defaultRetention,
};

test("every option and every part of one has a type, a default and a meaning", () => {
  const rows = kernelOptionRows();

  expect(rows.length).toBeGreaterThan(60);
  expect(rows.filter((cells) => cells.some((cell) => cell === ""))).toEqual([]);
});

test("every part has the default that the kernel has", () => {
  const rows = new Map(kernelOptionRows().map(([name, , unset]) => [name, unset]));

  for (const [option, parts] of Object.entries(groups))
    for (const [part, value] of Object.entries(parts))
      expect(rows.get(`\`${option}.${part}\``)).toBe(`\`${JSON.stringify(value)}\``);
});
