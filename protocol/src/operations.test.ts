import { expect, test } from "vitest";
import { operations } from "./operations.ts";
import { operationNames, routes } from "./routes.ts";

test.each(operationNames)("%s takes what its route can carry", (name) => {
  const { method, path } = routes[name];
  const { params, query, body } = operations[name];
  const named = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);

  expect(Object.keys(params.shape)).toEqual(named);
  if (method === "GET") expect(Object.keys(body.shape)).toEqual([]);
  else expect(Object.keys(query.shape)).toEqual([]);
});

test("no two operations share a route", () => {
  const asked = operationNames.map((name) => `${routes[name].method} ${routes[name].path}`);

  expect(new Set(asked).size).toBe(operationNames.length);
});
