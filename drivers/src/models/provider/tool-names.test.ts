import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toolNames, wireCallId } from "./tool-names.ts";

const FITS = /^[a-zA-Z0-9_-]{1,64}$/;
const named = (...names: string[]) =>
  toolNames({
    model: "p/m",
    messages: [],
    tools: names.map((name) => ({ name, description: "", input: {} })),
  });

test("TOOL-NAMES-1: every name fits, is alone, and is read back", () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 80 }),
    fc.stringMatching(/^[a-c._]{1,3}$/),
    fc.stringMatching(/^[a._]{60,70}$/),
  );
  fc.assert(
    fc.property(fc.uniqueArray(name), (all) => {
      const names = named(...all);
      const wires = all.map((each) => names.wire(each));

      expect(new Set(wires).size).toBe(all.length);
      for (const wire of wires) expect(wire).toMatch(FITS);
      expect(wires.map((wire) => names.own(wire))).toEqual(all);
    }),
  );
});

test("TOOL-NAMES-1: who offers the name that another's would be changed to does not get its calls", () => {
  const mark = createHash("sha256").update("0 file.read").digest("hex").slice(0, 8);
  const forged = `file_read_${mark}`;

  const names = named("file_read", forged, "file.read");

  expect(names.own(forged)).toBe(forged);
  expect(names.own(names.wire("file.read"))).toBe("file.read");
});

test("TOOL-NAMES-2: a name that fits stays, whichever others there are", () => {
  expect(named("file.read", "file_read").wire("file_read")).toBe("file_read");
  expect(named("file.read").wire("file.read")).toBe("file_read");
});

test("tools that were called before and are no longer offered have names too", () => {
  const toolCalls = [{ id: "c", tool: "old.one", args: {} }];
  const names = toolNames({
    model: "p/m",
    messages: [{ role: "assistant", content: "", toolCalls }],
  });

  expect(names.own(names.wire("old.one"))).toBe("old.one");
});

test("TOOL-NAMES-3: ids that a vendor would not take", () => {
  expect(wireCallId("call_1")).toBe("call_1");
  expect(wireCallId("über/1")).toMatch(FITS);
  expect(wireCallId("über/1")).toBe(wireCallId("über/1"));
  expect(wireCallId("über/1")).not.toBe(wireCallId("über/2"));
  expect(wireCallId("x".repeat(100))).toMatch(FITS);
});
