// Long runs as tasks (the extension io.modelcontextprotocol/tasks), as they are on the wire.

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "../gateway/front-door.ts";
import { request, TASKS } from "./mcp-caller.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
let olga: string;
let vera: string;
let bob: string;
beforeAll(async () => {
  door = await openFrontDoor({ mcp: { approve: true } });
  olga = door.token("operator", { name: "olga" });
  vera = door.token("viewer", { name: "vera" });
  bob = door.token("operator", { name: "bob", tenant: "b" });
});
afterAll(async () => {
  await door.close();
  expect(door.mistakes).toEqual([]);
});

const capabilities = { extensions: { [TASKS]: {} }, elicitation: { form: {} } };
const knowing = { capabilities };

const submit = (token: string, agent: string, given: object = knowing, more: object = {}) =>
  request(
    door,
    token,
    "tools/call",
    { name: "submit_goal", arguments: { agent, goal: "x", ...more } },
    given,
  );
const begin = async (agent: string, token = olga): Promise<string> =>
  (await submit(token, agent)).result?.["taskId"] as string;
const get = (taskId: string, token = olga, given: object = knowing) =>
  request(door, token, "tasks/get", { taskId }, given);
const statusOf = async (taskId: string, token = olga) => (await get(taskId, token)).result;

test("the server says that it knows tasks", async () => {
  const { result } = await request(door, olga, "server/discover", {});

  expect(result?.["capabilities"]).toMatchObject({ extensions: { [TASKS]: {} } });
});

test("a client that knows tasks is given one, which is there at once and lasts to the result", async () => {
  const { result: created } = await submit(olga, "echo");
  const taskId = created?.["taskId"] as string;
  const first = await statusOf(taskId);
  await door.kernel.wait(taskId);
  const last = await statusOf(taskId);

  expect(created).toMatchObject({ resultType: "task", ttlMs: null });
  expect(["working", "completed"]).toContain(created?.["status"]);
  for (const told of [first, last]) {
    expect(told).toMatchObject({ resultType: "complete", taskId, ttlMs: null });
    expect(told?.["pollIntervalMs"]).toBeTypeOf("number");
    for (const at of ["createdAt", "lastUpdatedAt"])
      expect(new Date(told?.[at] as string).toISOString()).toBe(told?.[at]);
  }
  expect(last).toMatchObject({
    status: "completed",
    result: { structuredContent: { output: "x", exitCode: 0 } },
  });
});

test("a client that does not say so is given no task, and may ask about none", async () => {
  const plain = await submit(olga, "echo", {});
  const { structuredContent } = plain.result as { structuredContent: { pid: string } };
  const taskId = structuredContent.pid;

  expect(plain.result).toMatchObject({ resultType: "complete" });
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    const { error } = await request(door, olga, method, { taskId });
    expect(error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    });
  }
});

test("who says how long to wait waits", async () => {
  const { result } = await submit(olga, "echo", knowing, { waitSeconds: 60 });

  expect(result).toMatchObject({ resultType: "complete", structuredContent: { output: "x" } });
});

test("a run that failed is a task that completed, with the failure as its result", async () => {
  const taskId = await begin("fail");
  await door.kernel.wait(taskId);

  const told = await statusOf(taskId);

  expect(told).toMatchObject({ status: "completed", result: { isError: true } });
  expect(told).not.toHaveProperty("error");
});

test("a run that asks needs input of who may answer, and goes on with the answer", async () => {
  const taskId = await begin("ask");
  const mine = () => door.kernel.questions().then((all) => all.find(({ pid }) => pid === taskId));
  await expect.poll(mine).toBeDefined();
  const id = (await mine())!.id;

  const asked = await statusOf(taskId);
  const seen = await statusOf(taskId, vera);
  const mute = await get(taskId, olga, { capabilities: { extensions: { [TASKS]: {} } } });
  const answer = (token: string, key: string, response: object) =>
    request(door, token, "tasks/update", { taskId, inputResponses: { [key]: response } }, knowing);
  const yes = { action: "accept", content: { choice: "yes" } };
  const byViewer = await answer(vera, id, yes);
  const other = await begin("ask");
  const others = () => door.kernel.questions().then((all) => all.find(({ pid }) => pid === other));
  await expect.poll(others).toBeDefined();
  const ignored = [
    await answer(olga, (await others())!.id, yes),
    await answer(olga, "qst_unknown", yes),
    await answer(olga, id, { action: "decline", content: { choice: "yes" } }),
  ];
  const isOpen = (await mine()) !== undefined && (await others()) !== undefined;
  const acked = await answer(olga, id, yes);
  const { output } = await door.kernel.wait(taskId);

  expect(asked).toMatchObject({ status: "input_required" });
  expect(asked?.inputRequests).toMatchObject({
    [id]: {
      method: "elicitation/create",
      params: {
        message: "may I?\nhas read trusted/public (BLUE)",
        requestedSchema: { properties: { choice: { enum: ["yes", "no"] } } },
      },
    },
  });
  for (const told of [seen, mute.result]) {
    expect(told?.["status"]).toBe("working");
    expect(told?.inputRequests).toBeUndefined();
  }
  expect(byViewer.error?.message).toMatch(/EACCES/);
  expect(isOpen).toBe(true);
  for (const told of [...ignored, acked])
    expect(told.result).toMatchObject({ resultType: "complete" });
  expect(output).toBe("yes");
});

test("a task is cancelled by who may end runs, and by nobody else", async () => {
  const taskId = await begin("listen");
  const cancel = (token: string) => request(door, token, "tasks/cancel", { taskId }, knowing);

  const byViewer = await cancel(vera);
  const isAlive = (await door.kernel.show(taskId)).endedAt === null;
  const acked = await cancel(olga);
  await door.kernel.wait(taskId);
  const again = await cancel(olga);

  expect(byViewer.error?.message).toMatch(/EACCES/);
  expect(isAlive).toBe(true);
  expect(acked.result).toMatchObject({ resultType: "complete" });
  expect(again.result).toMatchObject({ resultType: "complete" });
  expect(await statusOf(taskId)).toMatchObject({ status: "cancelled" });
});

test("another tenant's task is one that there is not", async () => {
  const theirs = await begin("listen");
  const unreal = "agt_00000000000000000000000000";

  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    const [real, none] = await Promise.all(
      [theirs, unreal].map((taskId) => request(door, bob, method, { taskId }, knowing)),
    );
    expect(real?.error?.code).toBe(-32_602);
    expect(real?.error?.message.replaceAll(theirs, unreal)).toBe(none?.error?.message);
  }
  expect((await door.kernel.show(theirs)).endedAt).toBeNull();
});

test.each(["@last", "agt_", ""])("%j is no task, though it may name a run", async (taskId) => {
  await begin("echo");

  expect((await get(taskId)).error?.code).toBe(-32_602);
});
