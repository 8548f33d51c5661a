import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attenuateBlock } from "./block.ts";
import { decideChain } from "../refusal/explain.ts";
import { capabilitiesFor, cover, type CoverLimits } from "./cover.ts";
import { type Capability, formatCapability } from "./grammar.ts";
import { isInheritedName } from "./json.ts";
import type { AccessRequest } from "./obstacle.ts";

const write = { kind: "file", resource: "/work/a.txt", verb: "write" };
const tool = { kind: "tool", resource: "file.write", verb: "call" };

function texts(action: Parameters<typeof cover>[0], narrowing?: CoverLimits): readonly string[] {
  const covered = cover(action, narrowing);
  return covered.ok ? covered.capabilities.map(formatCapability) : [covered.why];
}

function allows(caps: readonly Capability[], touch: object, args?: unknown): boolean {
  const block = attenuateBlock(null, caps, { id: "b", mintedAt: 0 });
  return decideChain(block, { ...touch, args } as AccessRequest, 0).allow;
}

describe("an action is covered by what it touched, and by no more (COVER-1)", () => {
  test("each resource itself is covered, with one verb, all arguments and no others", () => {
    const args = { path: "a.txt", text: "hi", "two words": [1, { b: null }] };
    const pins = 'args:pinned,pin.path:"a.txt",pin.text:"hi",pin."two words":[1,{"b":null}]';

    expect(texts({ touches: [tool, write], args })).toEqual([
      `tool:file.write:call{${pins}}`,
      `file:/work/a.txt:write{${pins}}`,
    ]);
  });

  test("without arguments there are none: given as none, none may be added", () => {
    expect(texts({ touches: [tool], args: {} })).toEqual(["tool:file.write:call{args:pinned}"]);
    expect(texts({ touches: [write] })).toEqual(["file:/work/a.txt:write"]);
  });

  test("the giver may narrow it further", () => {
    const narrowing: CoverLimits = { hold: "use", max: 3, expires: { afterMs: 60_000 } };

    expect(texts({ touches: [write] }, narrowing)).toEqual([
      "file:/work/a.txt:write{max:3,expires:1m,hold:use}",
    ]);
  });

  test("what is touched twice is covered once", () => {
    expect(texts({ touches: [write, write] })).toHaveLength(1);
  });

  test("a page that was reached by https stays https", () => {
    const get = (resource: string) => texts({ touches: [{ kind: "http", resource, verb: "get" }] });

    expect(get("https://a.com/x")).toEqual(["http:a.com:443/x:get"]);
    expect(get("http://a.com/x")).toEqual(["http:a.com:80/x:get"]);
    expect(get("a.com:8080/x")).toEqual(["http:a.com:8080/x:get"]);
    expect(get("a.com/x")).toEqual(["http:a.com/x:get"]);
  });
});

describe("what cannot be written down is not widened (COVER-2)", () => {
  test.each<[string, Parameters<typeof cover>[0]]>([
    ["nothing touched", { touches: [] }],
    ["an unknown kind", { touches: [{ ...write, kind: "spell" }] }],
    ["an unknown verb", { touches: [{ ...write, verb: "burn" }] }],
    ["a path that is not canonical", { touches: [{ ...write, resource: "/a/../b" }] }],
    ["arguments without names", { touches: [tool], args: ["a"] }],
    ["no arguments at all", { touches: [tool], args: null }],
    ["an argument that is too long", { touches: [tool], args: { text: "x".repeat(20_000) } }],
    ["an argument that is too deep", { touches: [tool], args: { a: nested(20) } }],
    ["a name that objects inherit", { touches: [tool], args: { constructor: 1 } }],
    ["an argument that is not JSON", { touches: [tool], args: { a: undefined } }],
    ["one of several", { touches: [tool, { ...write, resource: "x" }], args: {} }],
  ])("%s", (_, action) => {
    expect(cover(action)).toMatchObject({ ok: false, why: expect.stringMatching(/./u) });
  });

  test("what goes wrong otherwise is a bug, and not an answer", () => {
    expect(() => cover({ touches: [tool], args: { sum: 1n } })).toThrow(TypeError);
  });

  test("a name that no pattern spells is named as loose", () => {
    const odd = { ...write, resource: "/work/a[1].txt" };

    expect(cover({ touches: [odd, write] })).toMatchObject({
      ok: true,
      loose: ["file:/work/a*1*.txt:write"],
    });
    expect(cover({ touches: [write] })).toMatchObject({ loose: [] });
  });

  function nested(depth: number): unknown {
    return depth === 0 ? 1 : [nested(depth - 1)];
  }
});

test("for any arguments the cover allows the action, and no change to it", () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
  const name = fc.string({ maxLength: 5 }).filter((text) => !isInheritedName(text));
  const args = fc.dictionary(name, json, { maxKeys: 4 }).map((made) => ({ ...made }));

  fc.assert(
    fc.property(args, fc.string({ maxLength: 3 }), json, (args, other, value) => {
      const covered = cover({ touches: [tool, write], args });
      fc.pre(covered.ok);
      const changed = { ...args, [other]: value };
      const isSame = JSON.stringify(sorted(changed)) === JSON.stringify(sorted(args));

      for (const touch of [tool, write]) {
        expect(allows(covered.capabilities, touch, args)).toBe(true);
        expect(allows(covered.capabilities, touch, changed)).toBe(isSame);
        for (const key of Object.keys(args)) {
          const { [key]: _, ...fewer } = args;
          expect(allows(covered.capabilities, touch, fewer)).toBe(false);
        }
      }
      expect(allows(covered.capabilities, { ...tool, resource: "file.read" }, args)).toBe(false);
      expect(allows(covered.capabilities, { ...write, verb: "remove" }, args)).toBe(false);
      expect(allows(covered.capabilities, { ...write, resource: "/work/b" }, args)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value).sort();
  return { pairs: keys.map((key) => [key, sorted((value as Record<string, unknown>)[key])]) };
}

test("what is touched, each by its narrowest capability; what cannot be written is left out", () => {
  const touches = [
    { kind: "file", resource: "/a/b", verb: "read" },
    { kind: "nothing", resource: "x", verb: "y" },
    { kind: "shell", resource: "git", verb: "exec" },
  ];
  expect(capabilitiesFor(touches)).toEqual(["file:/a/b:read", "shell:git:exec"]);
});
