import { z } from "zod";
import { expect, test } from "vitest";
import { operationNames, type OperationName } from "../routes.ts";
import { operationOf, operations } from "./index.ts";
import { folder, processReference } from "./argument-fields.ts";
import { operation } from "./operation.ts";

test.each(operationNames)("%s takes what its route can carry", (name) => {
  const { method, path, params, query, body } = operationOf(name);
  const named = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);

  expect(Object.keys(params.shape)).toEqual(named);
  if (method === "GET") expect(Object.keys(body.shape)).toEqual([]);
  else expect(Object.keys(query.shape)).toEqual([]);
});

test("no two operations share a route", () => {
  const asked = operationNames.map((name) => {
    const { method, path } = operationOf(name);
    return `${method} ${path}`;
  });

  expect(new Set(asked).size).toBe(operationNames.length);
});

test("an answer with a field that its schema does not know is not one", () => {
  const { response } = operations.whoAmI;
  const caller = { name: "ann", role: "viewer", tenant: null };

  expect(response.safeParse(caller).success).toBe(true);
  expect(response.safeParse({ ...caller, secret: 1 }).success).toBe(false);
});

test("OPERATIONS-3: an argument says by its schema that it names a process, or a path of the machine", () => {
  const { processes, paths } = operation({
    method: "POST",
    path: "/made-up/:pid",
    summary: "Made up.",
    role: "viewer",
    reach: "tenant",
    params: z.strictObject({ pid: processReference("described") }),
    body: z.strictObject({
      parent: processReference().optional().describe("described, and not needed"),
      text: z.string(),
      at: folder,
      many: z.array(folder).optional(),
      inside: z.strictObject({ folder: folder.optional() }).optional(),
    }),
    response: z.null(),
  });

  expect(processes).toEqual(["pid", "parent"]);
  expect(paths).toEqual(["at", "many", "inside"]);
});

/** Arguments whose names are those of a process or a path elsewhere, and what they are here. */
const others: Partial<Record<OperationName, readonly string[]>> = {
  addMcpServer: ["paths"], // what the server sees, for callers of all tenants
  deadLetters: ["before"], // the id of a letter
};

test("OPERATIONS-3: no argument has the name of a process or a path without saying that it is one", () => {
  const silent = operationNames.flatMap((name) => {
    const { params, query, body, processes, paths } = operationOf(name);
    const args = Object.keys({ ...params.shape, ...query.shape, ...body.shape });
    const known = new Set([...processes, ...paths, ...(others[name] ?? [])]);
    return args
      .filter((arg) => /^(pid|parent|before|tree|cwd|folder|workspace|paths)$/.test(arg))
      .filter((arg) => !known.has(arg))
      .map((arg) => `${name} ${arg}`);
  });

  expect(silent).toEqual([]);
});
