import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import type { CapabilityKind } from "./kinds.ts";
import { compilePath, matchPath } from "./path-pattern.ts";
import { compile, matches } from "./pattern.ts";

const DEPTH = inject("isDeep") ? 5 : 1;

test("a path pattern matches exactly what trying every way to read it matches", () => {
  const segment = fc.string({ unit: fc.constantFrom("a", "b", "*"), minLength: 1, maxLength: 6 });
  const pattern = fc.array(fc.oneof(segment, fc.constant("**")), { minLength: 1, maxLength: 5 });
  const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 6 });
  const path = fc.array(name, { maxLength: 5 });

  fc.assert(
    fc.property(pattern, path, (parts, names) => {
      const compiled = compiles("file", `/${parts.join("/")}`);
      fc.pre(compiled !== null);
      expect(matches(compiled, `/${names.join("/")}`)).toBe(slowPath(parts, names));
    }),
    { numRuns: 1000 * DEPTH },
  );
});

test("a name pattern matches exactly what trying every way to read it matches", () => {
  const pattern = fc.string({
    unit: fc.constantFrom("a", "b", ".", "*"),
    minLength: 1,
    maxLength: 9,
  });
  const name = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 9 });

  fc.assert(
    fc.property(pattern, name, (pattern, name) => {
      const compiled = compiles("tool", pattern);
      fc.pre(compiled !== null && name !== "." && name !== "..");
      expect(matches(compiled, name)).toBe(slowName(pattern, name));
    }),
    { numRuns: 2000 * DEPTH },
  );
});

test("a host pattern matches exactly the names with that tail of labels", () => {
  const label = fc.constantFrom("a", "b", "ab");
  const labels = fc.array(label, { minLength: 1, maxLength: 4 });

  fc.assert(
    fc.property(fc.boolean(), labels, labels, (below, tail, host) => {
      const pattern = compile("http", `${below ? "*." : ""}${tail.join(".")}`);
      const sameTail = host.slice(-tail.length).join(".") === tail.join(".");
      const expected =
        sameTail && (below ? host.length > tail.length : host.length === tail.length);
      expect(matches(pattern, `${host.join(".")}/x`)).toBe(expected);
    }),
    { numRuns: 1000 * DEPTH },
  );
});

test("a port and a path are matched beside the name, each by its own rule", () => {
  const port = fc.constantFrom("", ":80", ":443", ":8080");
  const scheme = fc.constantFrom("", "http://", "https://");
  const parts = fc.array(fc.constantFrom("a", "b", "*", "**"), { maxLength: 3 });
  const names = fc.array(fc.constantFrom("a", "b"), { maxLength: 3 });

  fc.assert(
    fc.property(port, fc.option(parts), scheme, port, names, (want, path, scheme, port, names) => {
      const written = path === null ? "" : `/${path.join("/")}`;
      const pattern = compiles("http", `x.com${want}${written}`);
      fc.pre(pattern !== null);
      const said = port === "" ? { "": "", "http://": ":80", "https://": ":443" }[scheme] : port;
      const isPort = want === "" ? said !== ":8080" : want === said;
      const isPath = slowPath(path ?? ["**"], names);
      const resource = `${scheme}x.com${port}/${names.join("/")}`;
      expect(matches(pattern, resource)).toBe(isPort && isPath);
    }),
    { numRuns: 1000 * DEPTH },
  );
});

test.each([
  ["none matches", `/**${"/*a*a*a*b".repeat(120)}/**${"/*a*a*a*b".repeat(120)}`],
  ["all but the last match", `/**${"/*a*a*a*a".repeat(100)}/**${"/*a*a*a*a".repeat(100)}/b`],
])(
  "the worst patterns the grammar takes cannot stop the kernel (PATH-PATTERN-3): %s",
  (_, text) => {
    const pattern = compilePath(text);
    let matched = 0;
    const path = new Proxy<string[]>(Array(256).fill("a".repeat(14)), {
      get: (segments, at) => {
        if (at !== "length") matched += 1;
        return Reflect.get(segments, at) as unknown;
      },
    });

    expect(matchPath(pattern, path)).toBe(false);

    expect(matched).toBeGreaterThanOrEqual(path.length);
    expect(matched).toBeLessThanOrEqual(pattern.length * path.length * 2);
  },
);

function compiles(kind: CapabilityKind, text: string) {
  try {
    return compile(kind, text);
  } catch {
    return null;
  }
}

function slowPath(pattern: readonly string[], path: readonly string[]): boolean {
  const [want, ...rest] = pattern;
  if (want === undefined) return path.length === 0;
  if (want === "**")
    return path.some((_, i) => slowPath(rest, path.slice(i))) || slowPath(rest, []);
  return path[0] !== undefined && slowGlob(want, path[0], "") && slowPath(rest, path.slice(1));
}

function slowName(pattern: string, name: string): boolean {
  if (!pattern.endsWith("*")) return slowGlob(pattern, name, "./");
  const head = pattern.slice(0, -1);
  return Array.from({ length: name.length + 1 }, (_, i) => name.slice(0, i)).some((prefix) =>
    slowGlob(head, prefix, "./"),
  );
}

function slowGlob(pattern: string, text: string, stops: string): boolean {
  if (pattern === "") return text === "";
  if (!pattern.startsWith("*")) {
    return pattern[0] === text[0] && slowGlob(pattern.slice(1), text.slice(1), stops);
  }
  if (slowGlob(pattern.slice(1), text, stops)) return true;
  return text !== "" && !stops.includes(text.charAt(0)) && slowGlob(pattern, text.slice(1), stops);
}
