import { describe, expect, test } from "vitest";
import { LoopGuard } from "./loop-guard.ts";

const call = (text: string) => ({ id: "c", tool: text[0]!, args: { n: text.slice(1) } });

/** After which call there was a hint, and after which an end. */
function told(texts: string): string[] {
  const guard = new LoopGuard();
  return texts.split(" ").flatMap((text, at) => {
    const round = guard.note([call(text)]);
    return round === undefined ? [] : [`${round.isOver ? "end" : "hint"} ${at + 1}`];
  });
}

describe("LOOP-GUARD-1: what comes round is told at the third time and ended at the fifth", () => {
  test.each([
    ["one call", "a a a a a", ["hint 3", "end 5"]],
    ["two in turn", "a b a b a b a b a b", ["hint 6", "end 10"]],
    ["three in turn", "a b c a b c a b c a b c a b c", ["hint 9", "end 15"]],
    ["after something else", "x y a a a", ["hint 5"]],
    ["one between breaks it", "a a b a a b a", []],
    ["other arguments are another call", "a1 a2 a3 a4 a5 a6", []],
    ["what grows out of it is told of again", "a a a b a a a", ["hint 3", "hint 7"]],
  ])("%s", (_name, texts, expected) => {
    expect(told(texts)).toEqual(expected);
  });
});

test("calls of one reply count one by one, and the order of arguments does not", () => {
  const guard = new LoopGuard();
  const one = { id: "1", tool: "t", args: { a: 1, b: 2 } };
  const other = { id: "2", tool: "t", args: { b: 2, a: 1 } };

  expect(guard.note([one, other, one])?.hint).toContain("called t 3 times in a row");
  expect(guard.note([other, one])?.isOver).toBe(true);
});

test("who goes on instead begins anew", () => {
  const guard = new LoopGuard();
  guard.note([call("a"), call("a")]);

  guard.forget();

  expect(guard.note([call("a")])).toBeUndefined();
});

test("LOOP-GUARD-2: to wait for messages is no repetition", () => {
  const guard = new LoopGuard();
  const receive = { id: "1", tool: "message.receive", args: {} };

  expect(guard.note(Array.from({ length: 9 }, () => receive))).toBeUndefined();
});
