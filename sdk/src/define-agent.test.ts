import { expect, test } from "vitest";
import { defineAgent } from "./index.ts";

test("a manifest comes back as it was written; a wrong one is refused by field", () => {
  const manifest = { apiVersion: "aos/v1", kind: "Agent", name: "hello" } as const;

  expect(defineAgent(manifest)).toBe(manifest);
  expect(() => defineAgent({ ...manifest, name: "Not A Name" })).toThrow(/name: /);
});
