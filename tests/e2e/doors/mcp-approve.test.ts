// Who says yes over MCP: nobody, unless the operator allows it and the token has the role.

import { connect as dial } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "../gateway/front-door.ts";
import { call, connect, eras, request, TASKS, textOf, type Written } from "./mcp-caller.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
let allowing: FrontDoor;
beforeAll(async () => {
  [door, allowing] = await Promise.all([
    openFrontDoor(),
    openFrontDoor({ mcp: { approve: true } }),
  ]);
});
afterAll(async () => {
  for (const one of [door, allowing]) {
    await one.close();
    expect(one.mistakes).toEqual([]);
  }
});

/** A run that waits for a person, and its question. */
async function asking(at: FrontDoor): Promise<{ pid: string; id: string }> {
  const pid = await at.spawn("ask");
  const open = async () => (await at.kernel.questions({ pid }))[0]?.id;
  await vi.waitFor(async () => expect(await open()).toBeDefined(), 60_000);
  return { pid, id: (await open())! };
}

const isOpen = async (at: FrontDoor, id: string) =>
  (await at.kernel.questions({ id })).length === 1;

/** MCP on a connection of its own, as `aos mcp serve` speaks it. */
function overStdio(at: FrontDoor, token: string) {
  const socket = dial(at.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const said: (Written & { readonly id?: number })[] = [];
  createInterface({ input: socket }).on("line", (line) => {
    if (line.startsWith("{")) said.push(JSON.parse(line) as Written);
  });
  socket.write(
    `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\nAuthorization: Bearer ${token}\r\n` +
      "Connection: Upgrade\r\nUpgrade: mcp-stdio\r\n\r\n",
  );
  const send = (message: object) =>
    void socket.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answerTo = async (id: number): Promise<Written> => {
    const found = () => said.find((one) => one.id === id);
    await vi.waitFor(() => expect(found()).toBeDefined(), 60_000);
    return found()!;
  };
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  send({ id: 1, method: "initialize", params });
  return {
    async ask(id: number, method: string, more: object = {}): Promise<Written> {
      await answerTo(1);
      send({ id, method, params: more });
      return answerTo(id);
    },
  };
}

const namesIn = ({ result }: Written): string[] =>
  (result as unknown as { tools: { name: string }[] }).tools.map(({ name }) => name);

test.each(eras)("%s: approve is not there unless it is allowed; deny is", async (era) => {
  const anna = await connect(door, door.token("operator", { name: "anna" }), era);
  const { pid, id } = await asking(door);

  const names = (await anna.listTools()).tools.map(({ name }) => name);
  const approving = call(anna, "approve", { id });

  expect(names).toContain("deny");
  expect(names).not.toContain("approve");
  await expect(approving).rejects.toThrow(/unknown tool/);
  expect(await isOpen(door, id)).toBe(true);
  expect(textOf(await call(anna, "deny", { id }))).toMatch(/"settled": true/);
  expect((await door.kernel.wait(pid)).output).toBe("no");
});

test("over standard streams approve is not there either unless it is allowed", async () => {
  const { id } = await asking(door);
  const anna = overStdio(door, door.token("operator", { name: "anna" }));

  const names = namesIn(await anna.ask(2, "tools/list"));
  const approving = await anna.ask(3, "tools/call", { name: "approve", arguments: { id } });

  expect(names).toContain("deny");
  expect(names).not.toContain("approve");
  expect(approving.error?.message).toMatch(/unknown tool/);
  expect(await isOpen(door, id)).toBe(true);
});

test("tasks offer no yes, and take none, unless it is allowed", async () => {
  const token = door.token("operator", { name: "anna" });
  const given = { capabilities: { extensions: { [TASKS]: {} }, elicitation: { form: {} } } };
  const { pid: taskId, id } = await asking(door);
  const update = (choice: string) => {
    const inputResponses = { [id]: { action: "accept", content: { choice } } };
    return request(door, token, "tasks/update", { taskId, inputResponses }, given);
  };

  const { result } = await request(door, token, "tasks/get", { taskId }, given);
  const yes = await update("yes");

  expect(result?.["status"]).toBe("working");
  expect(result).not.toHaveProperty("inputRequests");
  expect(yes.error?.message).toMatch(/EACCES: approving questions over MCP is switched off/);
  expect(await isOpen(door, id)).toBe(true);
  await update("no");
  expect((await door.kernel.wait(taskId)).output).toBe("no");
});

test("where it is allowed, the role still decides: a viewer cannot, an approver can", async () => {
  const { pid, id } = await asking(allowing);
  const viewer = overStdio(allowing, allowing.token("viewer", { name: "vera" }));
  const approver = overStdio(allowing, allowing.token("approver", { name: "abe" }));

  const names = namesIn(await viewer.ask(2, "tools/list"));
  const byViewer = await viewer.ask(3, "tools/call", { name: "approve", arguments: { id } });
  const stays = await isOpen(allowing, id);
  const offered = namesIn(await approver.ask(2, "tools/list"));
  await approver.ask(3, "tools/call", { name: "approve", arguments: { id } });

  expect(names).not.toContain("approve");
  expect(JSON.stringify(byViewer)).toMatch(/EACCES/);
  expect(stays).toBe(true);
  expect(offered).toContain("approve");
  expect((await allowing.kernel.wait(pid)).output).toBe("yes");
});
