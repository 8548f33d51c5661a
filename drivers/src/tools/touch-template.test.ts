import { describe, expect, test } from "vitest";
import { fillTouches } from "./touch-template.ts";

const http = (resource: string) => [{ kind: "http", resource, verb: "get" }];

describe("a template", () => {
  test("without a placeholder is the touch itself", () => {
    expect(fillTouches(http("a.example/v1"), {})).toEqual(http("a.example/v1"));
  });

  test("has the arguments in its resource", () => {
    expect(fillTouches(http("{host}/{page}"), { host: "a.example", page: 7 })).toEqual(
      http("a.example/7"),
    );
  });

  test("TOUCH-TEMPLATE-1: placeholders stand in its resource only", () => {
    const template = [{ kind: "{a}", resource: "x", verb: "{a}" }];

    expect(fillTouches(template, { a: "b" })).toEqual(template);
  });

  test("TOUCH-TEMPLATE-2: with a list is one touch of each part", () => {
    const touches = fillTouches(http("{host}/{page}"), { host: ["a", "b"], page: ["1", "2"] });

    expect(touches.map(({ resource }) => resource)).toEqual(["a/1", "a/2", "b/1", "b/2"]);
  });

  test("TOUCH-TEMPLATE-2: with an empty list is none", () => {
    expect(fillTouches(http("{host}/"), { host: [] })).toEqual([]);
  });

  test.each([{}, { host: null }])(
    "TOUCH-TEMPLATE-3: without its argument is not needed: %j",
    (args) => {
      expect(fillTouches(http("{host}/"), args)).toEqual([]);
    },
  );

  test.each([true, {}, [["a"]]])("TOUCH-TEMPLATE-3: does not take %j", (host) => {
    expect(() => fillTouches(http("{host}/"), { host })).toThrow(/host names the touched resource/);
  });

  test("never takes a value for a placeholder, or for a name of every object", () => {
    expect(fillTouches(http("{a}/{b}"), { a: "{b}", b: "$&" })).toEqual(http("{b}/$&"));
    expect(fillTouches(http("{constructor}"), {})).toEqual([]);
  });
});
