// The reference at the end of a test: every journal of its kernel is judged again (tests/reference). With
// AOS_REFERENCE_TALLY=FILE a line is added for each kernel: what agreed, and what was not judged and why.

import { appendFileSync } from "node:fs";
import type { Kernel } from "@aos/kernel";
import { expect } from "vitest";
import { compareWithReference, type ReferenceWorld } from "../reference/reference.ts";

export async function checkReference(kernel: Kernel, world: ReferenceWorld): Promise<void> {
  const { disagreements, agreed, tally } = await compareWithReference(kernel, world);
  const file = process.env["AOS_REFERENCE_TALLY"];
  if (file !== undefined)
    appendFileSync(file, `${JSON.stringify({ agreed, ...Object.fromEntries(tally) })}\n`);
  expect(disagreements, "the gate and its reference disagree").toEqual([]);
}
