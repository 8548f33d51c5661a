// Each attack that is stopped by the configuration gets through with another one: so no test of the catalogue
// is one that cannot fail.

import { attackRows, attempt } from "@aos/attacks";
import { DEFAULT_POLICY } from "@aos/kernel";
import { expect, test, vi } from "vitest";
import { openingOf } from "./openings/index.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../helpers/checked-kernel.ts")).checkedModule(original, "K: tampering"),
);

const shipped = { policy: [DEFAULT_POLICY] };

const weak = attackRows.filter((row) => {
  const { configured = [], lines = [] } = openingOf(row);
  return configured.length > 0 && lines.length === 0;
});

test.each(weak.map((row) => [row.id, openingOf(row).configured!, row] as const))(
  "%s gets through with %j",
  async (_id, configured, row) => {
    const { outcome, detail } = await attempt(row, shipped, configured);
    if (outcome === "skipped" && !/could not be tried/.test(detail)) return;
    expect({ outcome, detail }).toMatchObject({ outcome: "got-through" });
  },
);
