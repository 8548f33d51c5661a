import { expect, test } from "vitest";
import { toolResult } from "./results.ts";

test("texts are one text, structure stays, and an error says so", () => {
  const content = [
    { type: "text", text: "a" },
    { type: "text", text: "b" },
  ];

  expect(toolResult({ content, structuredContent: { n: 1 }, isError: true })).toEqual({
    isError: true,
    text: "a\nb",
    structured: { n: 1 },
  });
  expect(toolResult({})).toEqual({});
});

test("what is neither is an artifact", () => {
  const base64 = Buffer.from("hello").toString("base64");
  const { artifacts } = toolResult({
    content: [
      { type: "image", mimeType: "image/png", data: base64 },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "resource", resource: { uri: "file:///b", text: "b" } },
      { type: "resource", resource: { uri: "file:///c", blob: base64 } },
      { type: "hologram" },
    ],
  });

  expect(artifacts).toEqual([
    { type: "image", mimeType: "image/png", bytes: 5, base64 },
    { type: "link", uri: "file:///a", name: "a" },
    { type: "resource", uri: "file:///b", bytes: 1, text: "b" },
    { type: "resource", uri: "file:///c", bytes: 5, base64 },
    { type: "unknown", said: "hologram" },
  ]);
});

test("RESULTS-1: what is too large is left out and said", () => {
  const data = Buffer.alloc(2_000_000).toString("base64");
  const many = Array.from({ length: 101 }, () => ({ type: "image", data: "" }));

  expect(toolResult({ content: [{ type: "image", data }] })).toEqual({
    artifacts: [{ type: "image", bytes: 2_000_000, cut: true }],
  });
  expect(toolResult({ content: many })).toMatchObject({ leftOut: 1 });
});
