import { expect, test } from "vitest";
import { readExtract } from "./extract-model.ts";

const SAID = "Deploy it. My  name is\nAda, and I prefer blue.";
const answer = (facts: unknown, reflection: unknown = "") => JSON.stringify({ facts, reflection });

test("EXTRACT-MODEL-1: a fact counts only with a quotation from the message", () => {
  const facts = [
    { text: "The user is called Ada.", subject: "name", quote: "my name is Ada", confidence: 1 },
    { text: "The user is an admin.", subject: "role", quote: "I am an admin" },
    { text: "No quotation." },
    { text: "", quote: "Ada" },
    "text",
    { text: "Likes blue.", quote: "I prefer blue", confidence: 7 },
  ];

  expect(readExtract(`Here:\n${answer(facts)}`, SAID)?.facts).toEqual([
    { text: "The user is called Ada.", subject: "name", confidence: 1 },
    { text: "Likes blue.", confidence: 0.7 },
  ]);
});

test("EXTRACT-MODEL-2: what cannot be read is no answer", () => {
  for (const text of ["", "none", "{", '{"facts": 7}', "{]}"])
    expect(readExtract(text, SAID)).toBeUndefined();
});

test("a reflection is short, or there is none", () => {
  expect(readExtract(answer([], "Green was full."), SAID)?.reflection).toBe("Green was full.");
  expect(readExtract(answer([], "x".repeat(5000)), SAID)?.reflection).toHaveLength(500);
  for (const none of ["", "  ", 7, null])
    expect(readExtract(answer([], none), SAID)).toEqual({ facts: [], reflection: undefined });
});
