import { expect, test } from "vitest";
import * as fc from "fast-check";
import { decodeEntries, encodeEntries } from "./entry-bundle.ts";

test("a bundle is its entries, each behind a big-endian uint16", () => {
  const bundle = encodeEntries([Buffer.from("ab"), Buffer.alloc(0), Buffer.alloc(258, 7)]);

  expect(Buffer.from(bundle.subarray(0, 8)).toString("hex")).toBe("0002616200000102");
  expect(bundle).toHaveLength(2 + 2 + 2 + 2 + 258);
});

test("what was encoded is decoded, and joined bundles decode to the joined entries", () => {
  const some = fc.array(fc.uint8Array({ maxLength: 300 }));
  fc.assert(
    fc.property(some, some, (a, b) => {
      const joined = Buffer.concat([encodeEntries(a), encodeEntries(b)]);

      const entries = decodeEntries(joined, a.length + b.length);

      expect(entries.map((entry) => [...entry])).toEqual([...a, ...b].map((entry) => [...entry]));
    }),
  );
});

test("bytes that decode as so many entries are the only bytes that do (ENTRY-BUNDLE-1)", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), fc.nat(4), (bytes, count) => {
      let entries;
      try {
        entries = decodeEntries(bytes, count);
      } catch {
        return;
      }
      expect([...encodeEntries(entries)]).toEqual([...bytes]);
    }),
  );
});

test("a bundle that is cut or goes on is refused (ENTRY-BUNDLE-1)", () => {
  const bundle = encodeEntries([Buffer.from("one"), Buffer.from("two")]);

  expect(() => decodeEntries(bundle.subarray(0, -1), 2)).toThrow("ends after 1 of its 2 entries");
  expect(() => decodeEntries(bundle, 3)).toThrow("ends after 2 of its 3 entries");
  expect(() => decodeEntries(bundle, 1)).toThrow("has 5 bytes behind its 1 entries");
});
