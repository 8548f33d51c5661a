import { describe, expect, test } from "vitest";
import { parseCapability } from "../capability/grammar.ts";
import { joinToken, newBlock, readTokenBlock, splitToken, TokenError } from "./token-block.ts";

const caps = (...texts: string[]) => texts.map(parseCapability);
const CALL = caps("tool:x:call");
const bytesOf = (text: string) => Buffer.from(text);

function faultOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    expect(error).toBeInstanceOf(TokenError);
    return (error as TokenError).code;
  }
}

test("a block is read as it was written", () => {
  const bytes = newBlock([], CALL, { id: "r", holder: "ada", expiresAt: 7 }, ["k", null]);

  expect(bytes.toString()).toBe('["r","ada",["tool:x:call"],7,"k",null]');
  expect(readTokenBlock(bytes)).toEqual({
    block: { id: "r", holder: "ada", caps: CALL, expiresAt: 7 },
    tail: ["k", null],
  });
});

describe("bytes that anybody may have written are refused, and are no error", () => {
  const deep = "[".repeat(12_000) + "]".repeat(12_000);

  test.each([
    ["a number", "1"],
    ["null", "null"],
    ["an empty list", "[]"],
    ["a list for an id", '[["r"],null,["tool:x:call"],null]'],
    ["null for an id", '[null,null,["tool:x:call"],null]'],
    ["a list for a holder", '["r",["ada"],["tool:x:call"],null]'],
    ["an object for the capabilities", '["r",null,{"length":1},null]'],
    ["a number for a capability", '["r",null,[1],null]'],
    ["a capability in a list", '["r",null,[["tool:x:call"]],null]'],
    ["an object that cannot be made a text", '["r",null,[{"toString":1,"valueOf":1}],null]'],
    ["a list for what the token adds", '["r",null,["tool:x:call"],null,["k"]]'],
    ["a number for what the token adds", '["r",null,["tool:x:call"],null,"k",1]'],
    ["an expiry left out", '["r",null,["tool:x:call"]]'],
    ["an expiry that is a truth", '["r",null,["tool:x:call"],true]'],
    ["lists in lists as a capability", `["r",null,[${deep}],null]`],
    ["lists in lists as an expiry", `["r",null,["tool:x:call"],${deep}]`],
    ["lists in lists after the block", `["r",null,["tool:x:call"],null,${deep}]`],
    ["lists in lists", deep],
  ])("%s", (_, text) => {
    expect(faultOf(() => readTokenBlock(bytesOf(text)))).toBe("format");
  });
});

describe("every name is 1 to 256 visible characters (TOKEN-BLOCK-5)", () => {
  const write = (name: string) => [
    () => newBlock([], CALL, { id: name }, []),
    () => newBlock([], CALL, { id: "r", holder: name }, []),
    () => newBlock([], CALL, { id: "r" }, ["k", name]),
    () => readTokenBlock(bytesOf(JSON.stringify(["r", null, ["tool:x:call"], null, name]))),
  ];

  test.each<[string, string]>([
    ["a", "none"],
    ["a".repeat(256), "none"],
    ["a".repeat(257), "format"],
    ["", "format"],
    ["a\u200b", "format"],
  ])("%j", (name, fault) => {
    expect(write(name).map(faultOf)).toEqual([fault, fault, fault, fault]);
  });
});

test("a block ends at a whole millisecond since 1970, the first of them included", () => {
  const ends = [0, Number.MAX_SAFE_INTEGER, -1, 0.5, NaN, 2 ** 53];
  const faults = ends.map((expiresAt) =>
    faultOf(() => newBlock([], CALL, { id: "r", expiresAt }, [])),
  );

  expect(faults).toEqual(["none", "none", "format", "format", "format", "format"]);
});

describe("what a token is made of (TOKEN-BLOCK-4)", () => {
  const token = (blocks: number, end = "e") => ["v", ...Array(blocks).fill("AAAA"), end].join(".");

  test("its parts as bytes, and its end as it is", () => {
    expect(splitToken("v.AAAA.AQID.s!", "v", 2)).toEqual({
      parts: [Buffer.from([0, 0, 0]), Buffer.from([1, 2, 3])],
      end: "s!",
    });
  });

  test.each<[string, number, string]>([
    ["", 1, "version"],
    ["v", 1, "format"],
    ["v.e", 1, "format"],
    ["v.e", 2, "format"],
    ["v.AAAA.e", 2, "format"],
    ["v.AAAA.AAAA.AAAA.e", 2, "format"],
    ["v..e", 1, "format"],
    ["v.AAA=.e", 1, "format"],
    ["v.AB.e", 1, "format"],
  ])("%j in blocks of %i is a fault of its %s", (text, partsOfBlock, fault) => {
    expect(faultOf(() => splitToken(text, "v", partsOfBlock))).toBe(fault);
  });

  test("a token has at most 16 blocks", () => {
    expect(splitToken(token(16), "v", 1).parts).toHaveLength(16);
    expect(splitToken(token(32), "v", 2).parts).toHaveLength(32);
    expect(faultOf(() => splitToken(token(17), "v", 1))).toBe("format");
    expect(faultOf(() => splitToken(token(34), "v", 2))).toBe("format");
  });

  test("at most 32768 characters, to be read or to be written", () => {
    const rest = 32_768 - token(1, "").length;

    expect(splitToken(token(1, "e".repeat(rest)), "v", 1).end).toHaveLength(rest);
    expect(faultOf(() => splitToken(token(1, "e".repeat(rest + 1)), "v", 1))).toBe("format");
    expect(joinToken("v", ["e".repeat(32_766)])).toHaveLength(32_768);
    expect(faultOf(() => joinToken("v", ["e".repeat(32_767)]))).toBe("format");
  });
});
