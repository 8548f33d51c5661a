import { expect, test } from "vitest";
import { bindingsOf } from "./bindings-of.ts";

const given = (options: Record<string, string[]>) =>
  bindingsOf({ text: () => undefined, texts: (name) => options[name] ?? [], flag: () => false });

test("one header and prefix stand for all hosts, or each host has its own", () => {
  const hosts = { host: ["a.example", "b.example"] };

  expect(given({ ...hosts, header: ["x"], prefix: ["Bearer "] })).toEqual([
    { kind: "header", origin: "a.example", header: "x", prefix: "Bearer " },
    { kind: "header", origin: "b.example", header: "x", prefix: "Bearer " },
  ]);
  expect(given({ ...hosts, header: ["x", "y"] })).toMatchObject([{ header: "x" }, { header: "y" }]);
});

test("tools go with variables, and nothing at all is bound to nothing", () => {
  expect(given({ tool: ["psql"], env: ["PGPASSWORD"] })).toEqual([
    { kind: "variable", tool: "psql", variable: "PGPASSWORD" },
  ]);
  expect(given({})).toEqual([]);
});

test.each([
  [{ host: ["a.example"] }],
  [{ header: ["x"] }],
  [{ host: ["a", "b", "c"], header: ["x", "y"] }],
  [{ host: ["a", "b", "c"], header: ["x"], prefix: ["1", "2"] }],
  [{ prefix: ["x"] }],
  [{ env: ["X"] }],
])("%j does not go together", (options) => {
  expect(() => given(options as Record<string, string[]>)).toThrow(/must be used together/);
});
