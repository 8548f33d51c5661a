import type { Message } from "@aos/protocol";
import { expect, test } from "vitest";
import { TokenGauge, guessTokens } from "./conversation.ts";

const words = (length: number): Message => ({ role: "user", content: "x".repeat(length) });

test("what the provider counted is what the same messages have", () => {
  const shown = [words(300), words(30)];

  expect(new TokenGauge(5000, shown).of(shown)).toBe(5000);
  expect(new TokenGauge(60, shown).of(shown)).toBe(60);
});

test("what is there beside the messages stays when they go", () => {
  const gauge = new TokenGauge(5000, [words(300), words(30)]);

  expect(gauge.of([])).toBe(5000 - 104 - 14);
  expect(gauge.of([words(30)])).toBe(5000 - 104);
});

test("a guess that was too high is too high for the rest as well", () => {
  expect(new TokenGauge(52, [words(300)]).of([words(300), words(300)])).toBe(104);
});

test("calls, thoughts and attachments count", () => {
  const bare = guessTokens({ role: "assistant", content: "" });
  const more = (rest: Partial<Message>) => guessTokens({ role: "assistant", content: "", ...rest });

  expect(more({ toolCalls: [{ id: "1", tool: "look", args: "x".repeat(300) }] })).toBeGreaterThan(
    bare + 100,
  );
  expect(more({ reasoning: [{ text: "x".repeat(300) }] })).toBe(bare + 100);
  expect(more({ attachments: [{ mediaType: "image/png", data: "" }] })).toBe(bare + 1500);
});
