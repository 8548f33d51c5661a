import type { Json } from "@aos/protocol";
import { expect, test } from "vitest";
import { isCheckedRequest } from "./checked-arguments.ts";

const message = (content: Json): Json => ({ role: "user", content });
const offer = { name: "t", description: "Does.", input: {} };

test("arguments that fit pass", () => {
  expect(isCheckedRequest({ model: "p/m", messages: [message("a")], tools: [offer] })).toBe(true);
});

test.each<[string, Json]>([
  ["no object", null],
  ["a list", []],
  ["no messages", { model: "p/m" }],
  ["messages that are no list", { model: "p/m", messages: {} }],
  ["no model", { messages: [] }],
  ["a message that is none", { model: "p/m", messages: [message(1)] }],
  ["tools that are none", { model: "p/m", messages: [], tools: [1] }],
  ["a member too many", { model: "p/m", messages: [], more: 1 }],
])("%s does not", (_, args) => {
  expect(isCheckedRequest(args)).toBe(false);
});

test("CHECKED-REQUEST-1: what fitted before is known, and what is new beside it is looked at", () => {
  const [known, tools] = [message("a"), [offer]];
  const request = { model: "p/m", messages: [known], tools };

  expect(isCheckedRequest(request)).toBe(true);

  expect(isCheckedRequest({ ...request, messages: [known, message("b")] })).toBe(true);
  expect(isCheckedRequest({ ...request, messages: [known, message(1)] })).toBe(false);
  expect(isCheckedRequest({ ...request, tools: [1] })).toBe(false);
  expect(isCheckedRequest({ ...request, maxTokens: -1 })).toBe(false);
});

test("CHECKED-REQUEST-1: what did not fit is not known the next time", () => {
  const [good, bad] = [message("a"), message(1)];

  expect(isCheckedRequest({ model: "p/m", messages: [good, bad] })).toBe(false);

  expect(isCheckedRequest({ model: "p/m", messages: [bad] })).toBe(false);
});
