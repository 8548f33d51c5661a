import { type Found, type Sys, SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import { rerank } from "./rerank.ts";

const found = (path: string, score: number): Found => ({ path, data: path, score });
const all = [found("/a", 0.9), found("/b", 0.8), found("/c", 0.7)];

const model = (answer: string | SysError) =>
  ({
    infer: async () => {
      if (typeof answer === "string") return { text: answer };
      throw answer;
    },
  }) as unknown as Sys;

test.each([
  ["3, 1, 2", "/c /a /b"],
  ["[2]", "/b /a /c"],
  ["9, 0, 3, 3 and more", "/c /a /b"],
  ["I cannot.", "/a /b /c"],
])("RERANK-1: %j is the order %s, with the scores of the places", async (answer, order) => {
  const result = await rerank(model(answer), "fake/one", "x", all);

  expect(result.found.map(({ path }) => path).join(" ")).toBe(order);
  expect(result.found.map(({ score }) => score)).toEqual([0.9, 0.8, 0.7]);
  expect(result.isReranked).toBe(true);
});

test.each(["EBUDGET", "EUPSTREAM", "ERATE"] as const)(
  "RERANK-2: where the model fails with %s the order stays",
  async (code) => {
    const result = await rerank(model(new SysError(code, "no")), "fake/one", "x", all);

    expect(result).toEqual({ found: all, isReranked: false });
  },
);

test("RERANK-2: what is no failure of the model ends it", async () => {
  await expect(
    rerank(model(new SysError("EACCES", "no")), "fake/one", "x", all),
  ).rejects.toMatchObject({ code: "EACCES" });
});

test("one passage costs no request", async () => {
  const never = model(new SysError("EINTERNAL", "asked"));

  expect((await rerank(never, "fake/one", "x", all.slice(0, 1))).isReranked).toBe(false);
});
