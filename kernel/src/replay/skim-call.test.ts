import * as fc from "fast-check";
import { expect, test } from "vitest";
import { callText } from "../journal/record-text.ts";
import { restAfter, skimCall } from "./skim-call.ts";

const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const HEAD = '{"kind":"call","seq":1,"at":2,"cause":3,"n":4,"call":"exec","args":';

test("SKIM-CALL-1: every call with a cause of its own is skimmed, and what follows its arguments is its rest", () => {
  fc.assert(
    fc.property(count, count, count, count, fc.json(), fc.json(), (seq, at, cause, n, args, ok) => {
      const text = callText({ seq, at, cause }, n, "exec", args, { ok });

      const skimmed = skimCall(text);

      const isTooLong = [seq, at, cause, n].some((one) => String(one).length > 15);
      expect(skimmed === undefined).toBe(isTooLong);
      if (skimmed === undefined) return;
      expect(skimmed).toMatchObject({ seq, cause, n });
      expect(restAfter(text, skimmed, { name: "exec", args })).toBe(`,"ok":${ok}}`);
    }),
  );
});

test("SKIM-CALL-1: what is written in another way is left to be decoded", () => {
  const others = [
    "",
    "{}",
    HEAD.replace('"call","seq"', '"intent","seq"'),
    HEAD.replace('"seq":1', '"seq":01'),
    HEAD.replace('"seq":1', '"seq":-1'),
    HEAD.replace('"at":2', '"at":2.0'),
    HEAD.replace('"at":2', '"at":'),
    HEAD.replace('"cause":3', '"cause":"agt_1#3"'),
    HEAD.replace('"cause":3', '"cause": 3'),
    HEAD.replace('"n":4', '"n":1234567890123456'),
    HEAD.replace(',"call"', ', "call"'),
  ];

  for (const text of others) expect(skimCall(`${text}{},"ok":null}`), text).toBeUndefined();
});

test("SKIM-CALL-1: another name, or other arguments, have no rest", () => {
  const text = `${HEAD}{"a":1},"ok":null}`;
  const skimmed = skimCall(text)!;

  expect(restAfter(text, skimmed, { name: "exec", args: '{"a":1}' })).toBe(',"ok":null}');
  for (const [name, args] of [
    ["execute", '{"a":1}'],
    ["exe", '{"a":1}'],
    ["infer", '{"a":1}'],
    ["exec", '{"a":2}'],
    ["exec", '{"a":1,"b":2}'],
  ] as const)
    expect(restAfter(text, skimmed, { name, args }), name + args).toBeUndefined();
});
