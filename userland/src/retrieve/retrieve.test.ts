import type { Found, Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { retrieveProgram } from "./retrieve.ts";

const passage = (path: string, text: string): Found => ({
  path,
  data: text,
  score: 0.9,
  passage: { text },
  source: { file: "a.md" },
  searchedBy: "text",
});

function sysForTest(found: readonly Found[], said = "It is 8080 [1], not [7]; see [1, 2].") {
  const asked: unknown[] = [];
  const sys = {
    search: async (...args: unknown[]) => {
      asked.push(["search", ...args]);
      return found;
    },
    infer: async (request: { messages: readonly { content: string }[] }) => {
      asked.push(["infer", request.messages.map(({ content }) => content).join("\n")]);
      return { text: said };
    },
  } as unknown as Sys;
  return { sys, asked };
}

const input: Json = { paths: ["/mem/shared"], question: "which port", tokens: 100 };

test("without a model, the passages are the answer", async () => {
  const { sys, asked } = sysForTest([passage("/mem/shared/a", "the port is 8080")]);

  const told = await retrieveProgram(sys, input);

  expect(told).toMatchObject({
    answer: null,
    citations: [],
    passages: [{ n: 1 }],
    searchedBy: "text",
  });
  expect(asked).toEqual([["search", "/mem/shared", "which port", { limit: 60, unit: "passage" }]]);
});

test("RETRIEVE-PROGRAM-1 and 2: a model sees the selected passages, and only citations of them count", async () => {
  const { sys, asked } = sysForTest([
    passage("/mem/shared/a", "the port is 8080"),
    passage("/mem/shared/b", "it was 9090 before"),
    passage("/mem/shared/c", "x".repeat(1000)),
  ]);

  const told = await retrieveProgram(sys, { ...(input as object), model: "fake/one" } as Json);

  expect(told).toMatchObject({ answer: expect.stringContaining("8080"), citations: [1, 2] });
  const [, prompt] = asked[1] as [string, string];
  expect(prompt).toContain("[2] a.md\nit was 9090 before");
  expect(prompt).not.toContain("xxxx");
});

test("nothing found costs no model", async () => {
  const { sys, asked } = sysForTest([]);

  expect(
    await retrieveProgram(sys, { ...(input as object), model: "fake/one" } as Json),
  ).toMatchObject({ answer: null });
  expect(asked).toHaveLength(1);
});

test.each([null, {}, { paths: ["/mem"], question: "x" }])("%j is refused", async (given) => {
  await expect(retrieveProgram(sysForTest([]).sys, given as Json)).rejects.toMatchObject({
    code: "EINVAL",
  });
});
