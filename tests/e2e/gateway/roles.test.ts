// Who may call what, over all rows: the table of roles, enforced.

import { hasRole, operationNames, operationOf, roles, type OperationName } from "@aos/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
beforeAll(async () => {
  door = await openFrontDoor({ http: { rate: { perSecond: 10_000, burst: 10_000 } } });
});
afterAll(() => door.close());

/** A request that nobody has: who may call is told of the field, who may not of that. */
const NONSENSE = { "no such field": 1 };

const ask = (name: OperationName, token: string) => {
  const params = [...operationOf(name).path.matchAll(/:(\w+)/g)].map(
    ([, key]) => [key, "x"] as const,
  );
  return door.call(name, { ...Object.fromEntries(params), ...NONSENSE }, { token });
};

const cases = operationNames.flatMap((name) =>
  roles.flatMap((role) => [null, "a"].map((tenant) => ({ name, role, tenant }))),
);

test.each(roles.flatMap((role) => [null, "a"].map((tenant) => ({ role, tenant }))))(
  "a $role of tenant $tenant may call what the table says, and nothing else",
  async ({ role, tenant }) => {
    const token = door.token(role, tenant === null ? {} : { tenant });
    const wrong: string[] = [];
    for (const { name } of cases.filter((one) => one.role === role && one.tenant === tenant)) {
      const entry = operationOf(name);
      const isAllowed = hasRole(role, entry.role) && (entry.reach === "tenant" || tenant === null);

      const { status } = await ask(name, token);

      if (status !== (isAllowed ? 400 : 403)) wrong.push(`${name}: ${status}`);
    }
    expect(wrong).toEqual([]);
  },
);

/** GETs that are for operators: they show how the machine is set up or what agents know, or begin a process. */
const guarded = new Set<OperationName>([
  "accessTokens",
  "collectionFiles",
  "collections",
  "config",
  "deadLetters",
  "diffFile",
  "exportMemory",
  "fileVersion",
  "fileVersions",
  "findFiles",
  "folderProblems",
  "listFiles",
  "memory",
  "memoryRecord",
  "memoryStats",
  "readFile",
  "searchMemory",
  "skillDraft",
  "skillDrafts",
  "storeReport",
]);

test("what only shows is for viewers, a person's word for approvers, all else for operators", () => {
  const words = new Set<OperationName>(["answer", "cancelQuestion"]);
  for (const name of operationNames) {
    const least = operationOf(name).role;
    if (words.has(name)) expect([name, least]).toEqual([name, "approver"]);
    else if (operationOf(name).method === "POST" && name !== "loginKey")
      expect([name, least]).toEqual([name, "operator"]);
    else expect([name, least]).toEqual([name, guarded.has(name) ? "operator" : "viewer"]);
  }
});

test("without a token no operation is answered", async () => {
  for (const name of operationNames) expect((await door.call(name, {})).status).toBe(401);
});

test("whoever comes through the socket is an operator of all tenants, whose token counts if there is one", async () => {
  const owner = await door.callAsOwner("whoAmI", {});

  expect(await owner.json()).toMatchObject({ role: "operator", tenant: null });
});
