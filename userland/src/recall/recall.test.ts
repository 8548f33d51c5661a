import type { Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { recallProgram } from "./recall.ts";

const memory: Record<string, { path: string; data: Json; score: number }[]> = {
  "/mem/shared": [
    { path: "/mem/shared/b", data: "half", score: 0.5 },
    { path: "/mem/shared/c", data: "a third", score: 0.3 },
  ],
  "/mem/semantic": [
    { path: "/mem/semantic/a", data: "all", score: 1 },
    { path: "/mem/semantic/d", data: "half", score: 0.5 },
  ],
};

function sysForTest(): { sys: Sys; asked: unknown[] } {
  const asked: unknown[] = [];
  const search = async (path: string, query: string, options: unknown) => {
    asked.push([path, query, options]);
    return memory[path];
  };
  return { sys: { search } as unknown as Sys, asked };
}

test("what fits best comes first, wherever it is, and no more than was asked for", async () => {
  const { sys, asked } = sysForTest();

  const found = await recallProgram(sys, {
    paths: ["/mem/shared", "/mem/semantic"],
    query: "deploy key",
    limit: 3,
  });

  expect((found as { path: string }[]).map(({ path }) => path)).toEqual([
    "/mem/semantic/a",
    "/mem/semantic/d",
    "/mem/shared/b",
  ]);
  expect(asked).toEqual([
    ["/mem/shared", "deploy key", { limit: 3 }],
    ["/mem/semantic", "deploy key", { limit: 3 }],
  ]);
});

test.each([null, {}, { query: "x" }, { paths: ["/mem/shared"] }])(
  "%j names no paths and words",
  async (input) => {
    const { sys, asked } = sysForTest();

    await expect(recallProgram(sys, input)).rejects.toMatchObject({ code: "EINVAL" });
    expect(asked).toEqual([]);
  },
);
