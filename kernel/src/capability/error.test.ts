import { describe, expect, test } from "vitest";
import { CapabilityError, rebaseErrors } from "./error.ts";
import { parseCapability } from "./grammar.ts";

function refusalOf(text: string): CapabilityError {
  try {
    parseCapability(text);
  } catch (error) {
    if (error instanceof CapabilityError) return error;
  }
  throw new Error("it was read");
}

describe("the message shows the text around the character, and a caret below it", () => {
  const text = Array.from({ length: 30 }, (_, i) => `<${String(i).padStart(3, "0")}>`).join("");

  test.each<[string, string, number, string, string]>([
    ["a short text, whole", "abc", 1, "abc", " ^"],
    ["its end", "abc", 3, "abc", "   ^"],
    ["60 characters before it", text, 60, `${text.slice(0, 100)}…`, `${" ".repeat(60)}^`],
    ["and no more", text, 61, `…${text.slice(1, 101)}…`, `${" ".repeat(61)}^`],
    ["40 characters from it on", text, 110, `…${text.slice(50)}`, `${" ".repeat(61)}^`],
    ["and no more of them", text, 109, `…${text.slice(49, 149)}…`, `${" ".repeat(61)}^`],
  ])("%s", (_, of, at, shown, caret) => {
    expect(new CapabilityError("bad", of, at).message).toBe(`bad\n  ${shown}\n  ${caret}`);
  });
});

describe("nothing of the text can act on a terminal or hide (ERROR-2)", () => {
  test.each([
    ["in a kind", "\u001b[2J:/a:read"],
    ["in a verb", "file:/a:\u001b[2J"],
    ["a line", "x\n: y"],
    ["a tag, which is two units long", "file:/a\u{e0041}:read"],
  ])("%s", (_, text) => {
    const { message, problem } = refusalOf(text);

    expect(message.split("\n")).toHaveLength(3);
    for (const unsafe of ["\u001b", "\u202e", "\u{e0041}"])
      expect(message + problem).not.toContain(unsafe);
    expect(message).toContain("\ufffd");
  });

  test("the caret stays below its character", () => {
    const error = new CapabilityError("bad", "\u{e0041}\u200b\ud800x", 4);

    expect(error.message).toBe("bad\n  \ufffd\ufffd\ufffd\ufffdx\n      ^");
    expect(error).toMatchObject({ text: "\u{e0041}\u200b\ud800x", at: 4, problem: "bad" });
  });
});

describe("a reader of a piece points into the whole (ERROR-1)", () => {
  const bad = () => {
    throw new CapabilityError("bad", "cd", 1);
  };

  test("at the character, or at the start of the piece", () => {
    const whole = { problem: "bad", text: "abcd" };

    expect(() => rebaseErrors("abcd", 2, bad)).toThrow(
      expect.objectContaining({ ...whole, at: 3 }),
    );
    expect(() => rebaseErrors("abcd", 2, bad, { pointAtStart: true })).toThrow(
      expect.objectContaining({ ...whole, at: 2 }),
    );
  });

  test("what it read is returned, and an error of another kind is left as it is", () => {
    const bug = new TypeError("a bug");

    expect(rebaseErrors("abcd", 2, () => "read")).toBe("read");
    expect(() =>
      rebaseErrors("abcd", 2, () => {
        throw bug;
      }),
    ).toThrow(bug);
  });
});
