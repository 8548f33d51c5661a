import { expect, test } from "vitest";
import { rememberText } from "./remembered-text.ts";

function counted() {
  const asked: string[] = [];
  const read = rememberText((text, name) => {
    asked.push(text.slice(0, 10));
    if (text === "bad") throw new Error(name);
    return { text, name, list: [{ deep: 1 }] };
  });
  return { asked, read };
}

test("the same text is read once, and another name or another text is another (REMEMBERED-TEXT-1)", () => {
  const { asked, read } = counted();

  expect(read("a", "one")).toBe(read("a", "one"));
  expect(read("a", "two").name).toBe("two");
  expect(read("b", "one").text).toBe("b");
  expect(asked).toEqual(["a", "a", "b"]);
});

test("nobody changes what the next one gets (REMEMBERED-TEXT-2)", () => {
  const { read } = counted();

  expect(() => (read("a", "one").list[0]!.deep = 2)).toThrow(TypeError);
  expect(read("a", "one").list[0]!.deep).toBe(1);
});

test("a failure is not kept, nor is a large text, nor the oldest of many (REMEMBERED-TEXT-3)", () => {
  const { asked, read } = counted();
  expect(() => read("bad", "one")).toThrow("one");
  expect(() => read("bad", "one")).toThrow("one");
  const large = "x".repeat(100_000);
  read(large, "one");
  read(large, "one");
  expect(asked.length).toBe(4);

  read("first", "one");
  for (let n = 0; n < 100; n++) read(`${n}`, "one");
  read("first", "one");
  expect(asked.filter((text) => text === "first").length).toBe(2);
});
