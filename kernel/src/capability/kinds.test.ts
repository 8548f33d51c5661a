import { expect, test } from "vitest";
import { formatCapability, parseCapability } from "./grammar.ts";
import { isKind, KINDS } from "./kinds.ts";

const printed = (text: string) => formatCapability(parseCapability(text));

test("every kind prints all its verbs, in the order of the table (KINDS-2)", () => {
  expect(Object.keys(KINDS).map((kind) => printed(`${kind}:*:*`))).toEqual([
    "file:/**:read,write,list,remove",
    "http:*/**:get,head,post,put,patch,delete,options",
    "shell:*:exec",
    "agent:*:spawn,wait",
    "tool:*:call",
    "memory:/**:read,write,list,remove,search",
    "model:*:infer",
    "message:*:send,receive,publish,subscribe",
    "secret:*:use",
    "signal:*:send",
    "browser:*/**:navigate,read,click,fill,screenshot",
  ]);
});

test.each([
  ["shell:x:execute", "shell:x:exec"],
  ["http:a.com/:request", "http:a.com/:get,head,post,put,patch,delete,options"],
  ["shell:exec", "shell:*:exec"],
  ["agent:spawn", "agent:*:spawn"],
])("the older %s is %s", (text, canonical) => {
  expect(printed(text)).toBe(canonical);
});

test.each(["file:read", "tool:call", "model:infer", "message:send", "secret:use", "signal:send"])(
  "no other kind may leave its pattern out: %s",
  (text) => {
    expect(() => parseCapability(text)).toThrow();
  },
);

test("a word that is not in the table is no kind (KINDS-1)", () => {
  const words = ["file", "File", "files", "", "__proto__", "constructor", "toString"];

  expect(words.filter(isKind)).toEqual(["file"]);
});
