import { describe, expect, test } from "vitest";
import { commandOf, startRequest } from "./start-request.ts";

const plain = { stays: false, isJson: false, usd: "" };

describe("what the form asks of the daemon", () => {
  test("is the input as text, or as the JSON that was written", () => {
    expect(startRequest("hello", "hi", plain)).toEqual({ agent: "hello", input: "hi" });
    expect(startRequest("hello", '{"n":1}', { ...plain, isJson: true })).toEqual({
      agent: "hello",
      input: { n: 1 },
    });
  });

  test("has no input where the agent stays, and a budget where one was written", () => {
    expect(startRequest("hello", "hi", { stays: true, isJson: false, usd: "0.5" })).toEqual({
      agent: "hello",
      persistent: true,
      budget: { usd: 0.5 },
    });
  });

  test("is refused in words where the JSON or the amount is none", () => {
    expect(() => startRequest("hello", "{", { ...plain, isJson: true })).toThrow("not JSON");
    expect(() => startRequest("hello", "hi", { ...plain, usd: "much" })).toThrow("much is not");
  });

  test("is the same as the command that is shown, quoted for a shell", () => {
    expect(commandOf("hello", "it's me", { ...plain, usd: "1" })).toBe(
      "aos run hello 'it'\\''s me' -b usd=1",
    );
    expect(commandOf("hello", "", { ...plain, stays: true })).toBe("aos chat hello");
  });
});
