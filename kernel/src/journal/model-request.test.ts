import type { Json, JsonObject } from "@aos/protocol";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeArgs, type ChainMark } from "./codec.ts";
import { continueRequest } from "./model-request.ts";

/** As a call is read where nothing was before it. */
function readWhole(text: string): { args: Json; encoded: ReturnType<typeof encodeArgs> } {
  const args = JSON.parse(text) as Json;
  return { args, encoded: encodeArgs("infer", text, args) };
}
const markOf = (request: JsonObject): ChainMark => {
  const { chain } = readWhole(JSON.stringify(request)).encoded;
  if (chain === undefined) throw new Error("it has no mark");
  return chain;
};
const message = (content: string): JsonObject => ({ role: "user", content });
const request = (messages: Json[], more: JsonObject = {}): JsonObject => ({
  model: "p/m",
  messages,
  ...more,
});
const goOn = (before: JsonObject, after: Json) =>
  continueRequest(JSON.stringify(after), markOf(before));

test("MODEL-REQUEST-1: what is gone on from is what would have been read", () => {
  const values = fc.array(
    fc.oneof(
      fc.string().map(message),
      fc.jsonValue().map((value) => value as Json),
    ),
    { maxLength: 4 },
  );
  const members = fc.dictionary(
    fc.string().filter((name) => name !== "messages"),
    fc.jsonValue().map((value) => value as Json),
    { maxKeys: 3 },
  );
  fc.assert(
    fc.property(values, values, members, members, (first, added, before, after) => {
      const one = { ...before, messages: [message("first"), ...first], ...after };
      const other = { ...one, messages: [...one.messages, ...added] };
      const text = JSON.stringify(other);

      const known = continueRequest(text, markOf(one));

      const whole = readWhole(text);
      expect(known?.args).toEqual(whole.args);
      expect(Object.keys(known!.args as object)).toEqual(Object.keys(whole.args as object));
      expect(known?.encoded.text).toBe(whole.encoded.text);
      const { blobs } = readWhole(JSON.stringify(one)).encoded;
      const there = new Set([...blobs, ...known!.encoded.blobs].map(({ digest }) => digest));
      for (const { digest } of whole.encoded.blobs) expect(there).toContain(digest);
    }),
  );
});

test("MODEL-REQUEST-1: requests are stored one after another, each as a change of the last", () => {
  const long = { tools: ["x".repeat(5000)] };
  const talk: Json[] = [message("0")];
  let mark = markOf(request(talk, long));
  for (let turn = 1; turn < 20; turn += 1) {
    talk.push(message(`${turn}`));
    const text = JSON.stringify(request(talk, long));

    const { args, encoded } = continueRequest(text, mark)!;

    expect(args).toEqual(JSON.parse(text));
    expect(encoded.text).toBe(readWhole(text).encoded.text);
    expect(encoded.blobs).toHaveLength(2); // the message, and the tools, which are put once by settlement
    mark = encoded.chain!;
  }
});

test("MODEL-REQUEST-2: what was there is the same", () => {
  const mark = markOf(request([message("a")], { tools: [1] }));
  const { args: before } = mark.known.deref()!;

  const { args } = continueRequest(
    JSON.stringify(request([message("a"), message("b")], { tools: [1] })),
    mark,
  )!;

  const { messages, tools } = args as { messages: Json[]; tools: Json[] };
  expect(messages[0]).toBe((before["messages"] as Json[])[0]);
  expect(tools).toBe(before["tools"]);
});

describe("what is another request is read anew", () => {
  const before = request([message("a"), message("b")], { tools: [1] });
  const others: [string, Json][] = [
    ["a message is another", request([message("x"), message("b")], { tools: [1] })],
    ["a message is longer", request([message("a"), message("bb")], { tools: [1] })],
    ["a message is missing", request([message("a")], { tools: [1] })],
    ["the tools are others", request([message("a"), message("b")], { tools: [2] })],
    ["there is one member more", request([message("a"), message("b")], { tools: [1], x: 1 })],
    ["the model is another", { ...before, model: "p/n" }],
    ["it is no object", [before]],
  ];
  test("a number goes on", () => {
    expect(goOn(request([1]), request([12]))).toBeUndefined();
  });

  test.each(others)("%s", (_, other) => {
    expect(goOn(before, other)).toBeUndefined();
  });

  test("the list ends, and what follows looks as if it went on", () => {
    const plain = request([message("a")]);
    const other = { ...plain, more: [message("b")] };

    expect(goOn(plain, other)).toBeUndefined();
  });

  test("the last one was no request, or had no message", () => {
    for (const args of [request([]), { model: "m" }, "text", null] as Json[])
      expect(encodeArgs("infer", JSON.stringify(args), args).chain).toBeUndefined();
  });

  test("its text was not written as it would be here", () => {
    const args = request([message("a")]);

    const turned = JSON.stringify(request([{ content: "a", role: "user" }]));

    expect(encodeArgs("infer", JSON.stringify(args, null, 1), args).chain).toBeUndefined();
    expect(encodeArgs("infer", turned, args).chain).toBeUndefined();
  });
});
