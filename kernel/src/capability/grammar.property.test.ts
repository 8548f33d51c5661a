import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import { CapabilityError } from "./error.ts";
import { type Capability, formatCapability, parseCapability } from "./grammar.ts";
import { isInheritedName, type PinValue } from "./json.ts";
import { type CapabilityKind, KINDS, kindRow } from "./kinds.ts";
import { compile } from "./pattern.ts";

const DEPTH = inject("isDeep") ? 5 : 1;

test("parsing what was printed gives the same capability", () => {
  fc.assert(
    fc.property(capabilities(), (capability) => {
      const text = formatCapability(capability);
      expect(parseCapability(text)).toEqual(capability);
    }),
    { numRuns: 600 * DEPTH },
  );
});

test("printing what was parsed is stable for any text that parses, and no other error escapes", () => {
  const text = fc.string({
    unit: fc.constantFrom(...Array.from('file:/tool*.,{}[]"maxrtecl1 0&?=\\\u202e')),
    maxLength: 40,
  });

  fc.assert(
    fc.property(
      fc.constantFrom("", "file:/", "tool:x:call{", "capability://", "network: "),
      text,
      (head, tail) => {
        const capability = parsed(head + tail);
        if (capability === null) return;
        expect(formatCapability(parseCapability(formatCapability(capability)))).toBe(
          formatCapability(capability),
        );
      },
    ),
    { numRuns: 600 * DEPTH },
  );
});

function parsed(text: string): Capability | null {
  try {
    return parseCapability(text);
  } catch (error) {
    expect(error).toBeInstanceOf(CapabilityError);
    return null;
  }
}

function hasInheritedKey(value: PinValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, item]) => isInheritedName(key) || hasInheritedKey(item));
}

function capabilities(): fc.Arbitrary<Capability> {
  const patterns = {
    path: ["/", "/**", "/a/*.ts", "/a b/c,d", "/**/x:y/**"],
    host: ["*", "*.example.com:8080/v1/**", "a.com,b.com/x", "[::1]", "10.0.0.1:1/"],
    name: ["*", "mcp.github.*", "a,b", "ollama/llama3:8b", "agt_1"],
  };
  const json = fc
    .jsonValue({ maxDepth: 3 })
    .map((value) => JSON.parse(JSON.stringify(value)) as PinValue)
    .filter((value) => !hasInheritedKey(value));
  const constraints = fc.record(
    {
      rate: fc.record({
        count: fc.integer({ min: 1, max: 10_000 }),
        perMs: fc.constantFrom(1000, 60_000, 3_600_000, 86_400_000),
      }),
      max: fc.integer({ min: 1 }),
      timeoutMs: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      expires: fc.oneof(
        fc.record({ afterMs: fc.integer({ min: 1 }) }),
        fc.record({ atMs: fc.integer({ min: 0, max: 4e12 }) }),
      ),
      usd: fc.integer({ min: 0, max: 1e9 }).map((micro) => micro / 1e6),
      bytes: fc.maxSafeNat().map((bytes) => bytes % 1e15),
      hold: fc.constantFrom("use" as const, "grant" as const),
      onlyPinned: fc.constant(true as const),
      pins: fc
        .uniqueArray(
          fc.record({
            name: fc.constantFrom("a", "b_1", "c-d", "Z", "", "é f", 'q"}'),
            value: json,
          }),
          {
            minLength: 1,
            selector: (pin) => pin.name,
          },
        )
        .map((pins) => pins.sort((a, b) => (a.name < b.name ? -1 : 1))),
    },
    { requiredKeys: [] },
  );
  return fc.constantFrom(...(Object.keys(KINDS) as CapabilityKind[])).chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      pattern: fc.constantFrom(...patterns[kindRow(kind).shape]).map((text) => compile(kind, text)),
      verbs: fc.subarray([...kindRow(kind).verbs], { minLength: 1 }),
      constraints,
    }),
  );
}
