// For any secret between any neighbours, in any encoding, cut anywhere.

import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import { markerOf } from "./redaction.ts";
import { Scrubber } from "./scrubber.ts";

const DEPTH = inject("isDeep") ? 5 : 1;

/** Of the characters that encodings treat each in its own way. */
const mark = fc.constantFrom(...Array.from("abcXYZ019-_.~+/= \"'\\&<%!()*$\n\t:é漢😀]["));
const secretText = fc
  .oneof(
    fc.string({ unit: mark, minLength: 8, maxLength: 40 }),
    fc.base64String({ minLength: 16, maxLength: 64 }),
  )
  .map((text) => text.trim())
  .filter((text) => text.length >= 8);
const around = fc.string({ unit: mark, maxLength: 20 });

const NAME = "TOKEN";
const MARKER = markerOf(NAME);
const scrubberOf = (value: string) => new Scrubber([{ name: NAME, value }]);

const encodings: readonly [name: string, encode: (text: string) => string][] = [
  ["raw", (text) => text],
  ["JSON", (text) => JSON.stringify(text)],
  ["JSON in JSON", (text) => JSON.stringify(JSON.stringify(text))],
  [
    "ASCII JSON",
    (text) =>
      JSON.stringify(text).replaceAll(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
  ],
  ["URL", encodeURIComponent],
  [
    "URL in lower case",
    (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  ],
  ["form", (text) => new URLSearchParams({ q: text }).toString()],
  ["hex", (text) => Buffer.from(text).toString("hex")],
  ["upper hex", (text) => Buffer.from(text).toString("hex").toUpperCase()],
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each(encodings)("a secret is taken out of %s, and what is beside it stays", (name, encode) => {
  fc.assert(
    fc.property(secretText, around, around, (secret, before, after) => {
      const clear = encode(before + secret + after);
      fc.pre(name !== "raw" || !isJson(clear)); // what is a document by chance is kept one
      const scrubbed = scrubberOf(secret).text(clear);

      expect(scrubbed).not.toContain(encode(secret).replaceAll(/^\\?"|^q=|\\?"$/g, ""));
      expect(scrubbed).toContain(MARKER);
      const rest = encode(before).length + encode(after).length;
      const kept = scrubbed.replaceAll(MARKER, "").length;
      expect(kept).toBeLessThanOrEqual(rest);
    }),
    { numRuns: 80 * DEPTH },
  );
});

test("of base64 exactly the characters go that carry bits of the secret", () => {
  const bytes = fc.uint8Array({ maxLength: 12 });
  const variants = ["base64", "base64url"] as const;
  fc.assert(
    fc.property(
      secretText,
      bytes,
      bytes,
      fc.constantFrom(...variants),
      (secret, before, after, as) => {
        const inside = Buffer.from(secret);
        const whole = Buffer.concat([before, inside, after]);
        fc.pre(
          whole.indexOf(inside) === before.length && whole.lastIndexOf(inside) === before.length,
        );
        fc.pre(!repeatsItself(secret));
        const clear = whole.toString(as);
        fc.pre(scrubberOf("another secret").text(clear) === clear); // no key by its looks

        const scrubbed = scrubberOf(secret).text(clear);

        const from = Math.floor((before.length * 8) / 6);
        const to = Math.ceil(((before.length + inside.length) * 8) / 6);
        expect(scrubbed).toBe(clear.slice(0, from) + MARKER + clear.slice(to));
      },
    ),
    { numRuns: 300 * DEPTH },
  );
});

/** Of such a value an encoding may stand at another place as well, as `MDAwMDAw` does. */
function repeatsItself(text: string): boolean {
  return new Set(text).size < 6;
}

test("scrubbing what is scrubbed changes nothing", () => {
  const secrets = fc.uniqueArray(secretText, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      secrets,
      fc.array(fc.oneof(around, fc.nat(3)), { maxLength: 8 }),
      (values, pieces) => {
        const scrubber = new Scrubber(values.map((value, n) => ({ name: `N${n}`, value })));
        const text = pieces
          .map((piece) => (typeof piece === "number" ? values[piece] : piece))
          .join("");

        const once = scrubber.text(text);

        expect(scrubber.text(once)).toBe(once);
        for (const value of values) expect(withoutMarkers(once)).not.toContain(value);
      },
    ),
    { numRuns: 300 * DEPTH },
  );
});

const withoutMarkers = (text: string): string => text.replaceAll(/\[secret:N\d\]/g, "\u{1}");

test("a JSON document stays one, and its values hold no secret", () => {
  const names = fc.string({ unit: mark, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.oneof(secretText, fc.integer({ min: 10_000_000 }).map(String)),
      fc.jsonValue({ maxDepth: 2 }),
      names,
      fc.boolean(),
      (secret, other, key, isSpaced) => {
        const scrubber = scrubberOf(secret);
        const value = { [`${key}${secret}`]: [other, `x${secret}`], number: Number(secret) || 0 };
        const scrubbed = scrubber.text(JSON.stringify(value, null, isSpaced ? 2 : 0));

        expect(() => JSON.parse(scrubbed)).not.toThrow();
        expect(JSON.stringify(JSON.parse(scrubbed))).toContain(MARKER);
        expect(scrubbed).not.toContain(JSON.stringify(secret).slice(1, -1));
      },
    ),
    { numRuns: 160 * DEPTH },
  );
});

test("SCRUB-STREAM-1: a stream shows the same, however the text is cut", () => {
  const plain = Array.from("abcXYZ019-_.~+/= \"'\\&%\n:é漢");
  const unit = fc.constantFrom(...plain);
  const secret = fc
    .string({ unit, minLength: 8, maxLength: 40 })
    .map((text) => text.trim())
    .filter((text) => text.length >= 8);
  const known = `ghp_${"a1B2".repeat(9)}`;
  const piece = fc.oneof(
    fc.string({ unit, maxLength: 20 }),
    fc.constantFrom("secret", "base64", known, `Authorization: Bearer ${"f00d".repeat(5)}\n`),
  );
  fc.assert(
    fc.property(
      secret,
      fc.array(piece, { maxLength: 8 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 30 })),
      (value, pieces, cuts) => {
        // The dot: a document would be kept one, which a stream cannot promise.
        const text = [".", ...pieces]
          .map((part) =>
            part === "secret" ? value : part === "base64" ? btoa(encodeURIComponent(value)) : part,
          )
          .join("");
        const scrubber = scrubberOf(value);
        const stream = scrubber.stream();

        let shown = "";
        for (let at = 0; at < text.length;) {
          const size = cuts.next().value as number;
          shown += stream.push(text.slice(at, at + size));
          at += size;
        }
        shown += stream.end();

        expect(shown).toBe(scrubber.text(text));
      },
    ),
    { numRuns: 400 * DEPTH },
  );
});

test("a text without secrets is the same text", () => {
  fc.assert(
    fc.property(secretText, fc.string({ unit: mark, maxLength: 200 }), (secret, text) => {
      fc.pre(!text.includes(secret));
      expect(scrubberOf(secret).text(text)).toBe(text);
    }),
  );
});
