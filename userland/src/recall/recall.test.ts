import type { Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { recallProgram } from "./recall.ts";

function sysForTest(said = "2, 1"): { sys: Sys; asked: unknown[] } {
  const asked: unknown[] = [];
  const sys = {
    search: async (path: string, query: string, options: unknown) => {
      asked.push([path, query, options]);
      return [
        { path: `${path}/a`, data: "all", score: 1 },
        { path: `${path}/b`, data: "half", score: 0.5 },
      ];
    },
    infer: async ({ model }: { model: string }) => {
      asked.push(model);
      return { text: said };
    },
  };
  return { sys: sys as unknown as Sys, asked };
}

const pathsOf = (output: Json | void): string[] =>
  (output as unknown as { found: { path: string }[] }).found.map(({ path }) => path);

test("RECALL-1: all parts are one search, and no more is told than was asked for", async () => {
  const { sys, asked } = sysForTest();

  const output = await recallProgram(sys, {
    paths: ["/mem/shared", "/mem/semantic", "/mem/episodic"],
    query: "deploy key",
    limit: 1,
  });

  expect(pathsOf(output)).toEqual(["/mem/shared/a"]);
  expect(asked).toEqual([
    ["/mem/shared", "deploy key", { limit: 1, also: ["/mem/semantic", "/mem/episodic"] }],
  ]);
});

test("RECALL-1: more parts than one search takes are searched one after the other", async () => {
  const { sys, asked } = sysForTest();

  const output = await recallProgram(sys, {
    paths: Array.from({ length: 257 }, (_, at) => `/mem/agents/${at}/semantic`),
    query: "x",
  });

  expect(asked).toHaveLength(2);
  expect(asked[1]).toEqual(["/mem/agents/256/semantic", "x", { limit: 10 }]);
  expect(pathsOf(output)).toHaveLength(4);
});

test("RECALL-2: a model orders what was found", async () => {
  const { sys, asked } = sysForTest();

  const output = await recallProgram(sys, {
    paths: ["/mem/shared"],
    query: "x",
    limit: 1,
    rerank: "fake/one",
  });

  expect(output).toMatchObject({ rerankedBy: "fake/one" });
  expect(pathsOf(output)).toEqual(["/mem/shared/b"]);
  expect(asked).toEqual([["/mem/shared", "x", { limit: 30 }], "fake/one"]);
});

test.each([null, {}, { query: "x" }, { paths: ["/mem/shared"] }, { paths: [], query: "x" }])(
  "%j names no paths and words",
  async (input) => {
    const { sys, asked } = sysForTest();

    await expect(recallProgram(sys, input)).rejects.toMatchObject({ code: "EINVAL" });
    expect(asked).toEqual([]);
  },
);
