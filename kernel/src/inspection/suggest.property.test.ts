import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import { attenuateBlock, charge, spendCharges } from "../capability/block.ts";
import { decideChain } from "../refusal/explain.ts";
import { type Capability, formatCapability, parseCapability } from "../capability/grammar.ts";
import type { AccessRequest } from "../capability/obstacle.ts";
import { suggest, type CapabilityUse } from "./suggest.ts";

const DEPTH = inject("isDeep") ? 5 : 1;

const FILES = ["/a", "/b", "/d/a", "/d/b", "/d/c", "/d/e/a", "/d/e/b"].map((resource) => ({
  kind: "file",
  resource,
}));
const PAGES = ["https://x.com/", "https://x.com/v/1", "https://x.com/v/2", "http://x.com/v/1"].map(
  (resource) => ({ kind: "http", resource }),
);
const TOOLS = ["t", "t.a", "t.b"].map((resource) => ({ kind: "tool", resource }));

const touches = [
  ...FILES.flatMap((file) => ["read", "write"].map((verb) => ({ ...file, verb }))),
  ...PAGES.flatMap((page) => ["get", "post"].map((verb) => ({ ...page, verb }))),
  ...TOOLS.map((tool) => ({ ...tool, verb: "call" })),
];

const uses: fc.Arbitrary<CapabilityUse[]> = fc.array(
  fc
    .tuple(
      fc.constantFrom(...touches),
      fc.record(
        {
          run: fc.constantFrom("r1", "r2", "r3"),
          count: fc.integer({ min: 1, max: 4 }),
          usd: fc.integer({ min: 0, max: 30 }).map((cents) => cents / 100),
          reservedUsd: fc.integer({ min: 0, max: 30 }).map((cents) => cents / 100),
          bytes: fc.integer({ min: 0, max: 50 }),
        },
        { requiredKeys: ["run", "count"] },
      ),
    )
    .map(([touch, more]) => ({ ...touch, ...more })),
  { maxLength: 25 },
);

const GRANTS = [
  "file:/**:read,write",
  "file:/d/**:read",
  "file:/d/*:read,write{timeout:1s}",
  "http:x.com:*{rate:1000/s}",
  "http:x.com/v/**:get",
  "tool:*:call",
  "tool:t.a:call",
].map(parseCapability);
const present = fc.option(fc.subarray(GRANTS), { nil: undefined });

/** Does the whole run go through, use by use, with what each reserves and spends? */
function goesThrough(caps: readonly Capability[], run: readonly CapabilityUse[]): boolean {
  const block = attenuateBlock(null, caps, { id: "b", mintedAt: 0 });
  return run.every((use) =>
    Array.from({ length: use.count }).every((_, i) => {
      const isLast = i === use.count - 1;
      const cost = { usd: use.reservedUsd ?? 0 };
      const decision = decideChain(block, { ...use, cost } as AccessRequest, 0);
      if (!decision.allow) return false;
      charge(decision.charges, 0);
      const { usd = 0, bytes = 0 } = isLast ? use : {};
      spendCharges(decision.charges, { usd, bytes });
      return true;
    }),
  );
}

function allRuns(caps: readonly Capability[], all: readonly CapabilityUse[]): boolean {
  return [...Map.groupBy(all, ({ run }) => run).values()].every((run) => goesThrough(caps, run));
}

function folderOf(resource: string): string {
  return resource.slice(0, resource.lastIndexOf("/") + 1);
}

test.each(["none", "folder"] as const)(
  "what is suggested (%s) allows all that was used, needs each of its lines, and allows no more",
  (widen) => {
    fc.assert(
      fc.property(uses, present, (all, present) => {
        const suggestion = suggest(all, { present, widen, siblings: 2 });
        const { capabilities, beyond } = suggestion;
        const within = all.filter((use) => !beyond.includes(use));

        expect(allRuns(capabilities, within)).toBe(true);
        for (const line of capabilities) {
          expect(
            allRuns(
              capabilities.filter((one) => one !== line),
              within,
            ),
          ).toBe(false);
        }
        for (const touch of touches) {
          if (!goesThrough(capabilities, [{ ...touch, run: "", count: 1 }])) continue;
          const isUsed = within.some(
            (use) =>
              use.kind === touch.kind &&
              use.verb === touch.verb &&
              (use.resource === touch.resource ||
                (widen === "folder" && folderOf(use.resource) === folderOf(touch.resource))),
          );
          expect([touch, isUsed]).toEqual([touch, true]);
          const isGranted =
            present === undefined || goesThrough(present, [{ ...touch, run: "", count: 1 }]);
          expect(isGranted).toBe(true);
        }
        for (const use of beyond) expect(goesThrough(present ?? [], [use])).toBe(false);
      }),
      { numRuns: 300 * DEPTH },
    );
  },
);

test("what is suggested reads back as it was written, and does not depend on the order", () => {
  fc.assert(
    fc.property(uses, (all) => {
      const texts = suggest(all).capabilities.map(formatCapability);

      expect(texts.map((text) => formatCapability(parseCapability(text)))).toEqual(texts);
      expect(suggest(all.toReversed()).capabilities.map(formatCapability)).toEqual(texts);
    }),
    { numRuns: 60 * DEPTH },
  );
});
