// Goals for a caller of one tenant: it submits, lists, shows, watches and retries its own, and learns of no other.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type {
  GoalEvent,
  GoalInfo,
  GoalReport,
  ProcessId,
  RoleDetail,
  RoleReport,
} from "@aos/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
let alice: string;
let bob: string;
let hers: string;
let his: string;

const plan = {
  subtasks: [
    { id: "one", role: "repeats", params: { word: "ferry" }, depends_on: [] },
    { id: "two", role: "repeats", params: { word: "tide" }, depends_on: ["one"] },
  ],
  final_output: "two",
};

const goal = (words: string) => ({ goal: words, plan, capabilities: ["message:*:receive"] });

async function submit(token: string, words: string): Promise<string> {
  const { pid } = await answered<{ pid: string }>(door.call("submitGoal", goal(words), { token }));
  expect(await door.kernel.wait(pid, { timeoutMs: 120_000 })).toMatchObject({ state: "completed" });
  return pid;
}

async function answered<T>(asked: Promise<Response>): Promise<T> {
  const response = await asked;
  expect([response.status, response.status === 200 ? "" : await response.text()]).toEqual([
    200,
    "",
  ]);
  return (await response.json()) as T;
}

beforeAll(async () => {
  door = await openFrontDoor();
  const folder = join(door.gateway.home.folder, "roles");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "repeats.yaml"),
    "name: repeats\nprogram: echo\nparameters: { word: { type: string, required: true } }\n",
  );
  writeFileSync(join(folder, "broken.yaml"), "name: broken\ncolour: red\n");
  alice = door.token("operator", { tenant: "a", name: "alice" });
  bob = door.token("operator", { tenant: "b", name: "bob" });
  hers = await submit(alice, "the plans of alice");
  his = await submit(bob, "the plans of bob");
});
afterAll(() => door.close());

test("a goal is of the tenant of who submits it, and so are its subtasks", async () => {
  const [mine] = await door.kernel.list({ parent: his as ProcessId });

  expect((await door.kernel.show(his)).tenant).toBe("b");
  expect(await door.kernel.show(mine!.pid)).toMatchObject({
    tenant: "b",
    agent: "inline/repeats",
  });
});

test("lists have the tenant's own, and no word of another's", async () => {
  const listed = await answered<GoalInfo[]>(door.call("goals", {}, { token: bob }));
  const everybodys = await answered<GoalInfo[]>(door.callAsOwner("goals", {}));

  expect(listed.map(({ pid, goal: words }) => [pid, words])).toEqual([[his, "the plans of bob"]]);
  expect(everybodys.map(({ pid }) => pid).toSorted()).toEqual([hers, his].toSorted());
});

test("its own goal is shown and watched to its end", async () => {
  const shown = await answered<GoalReport>(door.call("goal", { pid: his }, { token: bob }));
  const watched = await door.call("watchGoal", { pid: his }, { token: bob });
  const lines = (await watched.text()).trim().split("\n");
  const events = lines.map((line) => JSON.parse(line) as GoalEvent);

  expect(shown.subtasks.map(({ id, state }) => [id, state])).toEqual([
    ["one", "done"],
    ["two", "done"],
  ]);
  expect(events.at(-1)).toMatchObject({ pid: his, what: "ended: completed" });
  expect(new Set(events.map(({ step }) => step))).toEqual(new Set([null, "one", "two"]));
  const own = new Set<string>([his, ...shown.subtasks.map(({ pid }) => pid!)]);
  expect(events.filter(({ pid }) => !own.has(pid))).toEqual([]);
});

test("a retry is of the same tenant, and does again what it is told to", async () => {
  const { pid } = await answered<{ pid: string }>(
    door.call("retryGoal", { pid: his, from: ["two"] }, { token: bob }),
  );
  await door.kernel.wait(pid, { timeoutMs: 120_000 });
  const again = await answered<GoalReport>(door.call("goal", { pid }, { token: bob }));

  expect((await door.kernel.show(pid)).tenant).toBe("b");
  expect(again.subtasks.map(({ tries }) => tries)).toEqual([0, 1]);
});

test.each(["goal", "watchGoal", "retryGoal"] as const)(
  "%s of another tenant's goal is as of one that is not there",
  async (name) => {
    const nobody = "agt_00000000000000000000000000";
    const before = (await door.kernel.list({ limit: 1000 })).length;

    const [real, unreal] = await Promise.all(
      [hers, nobody].map((pid) => door.call(name, { pid }, { token: bob })),
    );

    expect([real!.status, unreal!.status]).toEqual([404, 404]);
    expect((await real!.text()).replaceAll(hers, nobody)).toBe(await unreal!.text());
    expect((await door.kernel.list({ limit: 1000 })).length).toBe(before);
  },
);

test("no goal is started in, or listed of, another tenant", async () => {
  const other = { ...goal("in the name of alice"), tenant: "a" };

  const started = await door.call("submitGoal", other, { token: bob });
  const listed = await door.call("goals", { tenant: "a" }, { token: bob });

  expect([started.status, listed.status]).toEqual([404, 404]);
});

test("a goal of a tenant has no folder of the machine", async () => {
  for (const place of [{ cwd: "/etc" }, { workspace: { folder: "/etc", isCow: false } }]) {
    const asked = { ...goal("read"), ...place };
    expect((await door.call("submitGoal", asked, { token: bob })).status).toBe(403);
  }
});

test("roles are told without a path of the machine, also where one is broken", async () => {
  const { folder } = door.gateway.home;
  const listed = await answered<RoleReport[]>(door.call("roles", {}, { token: bob }));
  const shown = await answered<RoleDetail>(door.call("role", { name: "broken" }, { token: bob }));
  const refused = await door.call(
    "submitGoal",
    { ...goal("work"), roles: ["broken"] },
    { token: bob },
  );

  expect(listed.find(({ name }) => name === "broken")!.problem).toContain("colour");
  expect(shown.problem).toContain("colour");
  expect(refused.status).toBe(400);
  expect(JSON.stringify([listed, shown, await refused.json()])).not.toContain(folder);
  const owners = await (await door.callAsOwner("roles", {})).text();
  expect(owners).toContain(folder);
});
