// Who hangs up, cancels, loses the token or stops the daemon while a run is waited for: what becomes of it.

import { expect, onTestFinished, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "../gateway/front-door.ts";
import { call, connect, request } from "./mcp-caller.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

async function openDoor(): Promise<{ door: FrontDoor; olga: string }> {
  const door = await openFrontDoor();
  onTestFinished(async () => {
    await door.close();
    expect(door.mistakes).toEqual([]);
  });
  return { door, olga: door.token("operator", { name: "olga" }) };
}

const WAITING = { name: "submit_goal", arguments: { agent: "listen", goal: "", waitSeconds: 600 } };

const begun = async (door: FrontDoor): Promise<string> => {
  await expect.poll(() => door.kernel.list({}), { timeout: 120_000 }).toHaveLength(1);
  return (await door.kernel.list({}))[0]!.pid;
};

test("2026-07-28: to hang up cancels the run that was waited for", async () => {
  const { door, olga } = await openDoor();
  const hungUp = new AbortController();
  const waiting = request(door, olga, "tools/call", WAITING, { signal: hungUp.signal });
  const pid = await begun(door);

  hungUp.abort();

  await expect(waiting).rejects.toThrow();
  expect((await door.kernel.wait(pid, { timeoutMs: 120_000 })).state).not.toBe("completed");
  expect((await door.kernel.show(pid)).endedAt).not.toBeNull();
});

test("2026-07-28: to hang up on a run that another call began ends the waiting only", async () => {
  const { door, olga } = await openDoor();
  const pid = await door.spawn("listen");
  const hungUp = new AbortController();
  const args = { name: "get_agent_status", arguments: { pid, waitSeconds: 600 } };
  const waiting = request(door, olga, "tools/call", args, { signal: hungUp.signal });
  const ended = waiting.catch(() => "hung up");
  await request(door, olga, "tools/call", { name: "list_runs", arguments: {} });

  hungUp.abort();

  expect(await ended).toBe("hung up");
  await door.kernel.send(pid, "still there");
  expect(await door.kernel.wait(pid)).toMatchObject({ state: "completed", output: "still there" });
});

test("2025-11-25: a notification cancels it", async () => {
  const { door, olga } = await openDoor();
  const client = await connect(door, olga, "2025-11-25");
  const cancelled = new AbortController();
  const waiting = client.callTool(WAITING, { signal: cancelled.signal });
  const pid = await begun(door);

  cancelled.abort();

  await expect(waiting).rejects.toThrow();
  expect((await door.kernel.wait(pid, { timeoutMs: 120_000 })).state).not.toBe("completed");
  expect((await door.kernel.show(pid)).endedAt).not.toBeNull();
});

test("2025-11-25: to hang up does not, for a connection may break", async () => {
  const { door, olga } = await openDoor();
  const client = await connect(door, olga, "2025-11-25");
  const session = (client.transport as { sessionId?: string }).sessionId!;
  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-session-id": session,
    "mcp-protocol-version": "2025-11-25",
  };
  const body = { jsonrpc: "2.0", id: 77, method: "tools/call", params: WAITING };
  const streaming = await door.ask("POST", "/mcp", { token: olga, headers, body });
  const pid = await begun(door);

  await streaming.body!.cancel();
  await call(client, "list_runs");

  await door.kernel.send(pid, "still there");
  expect(await door.kernel.wait(pid)).toMatchObject({ state: "completed", output: "still there" });
});

test.each(["2025-11-25", "2026-07-28"] as const)(
  "%s: a token that is taken back ends the waiting and not the run",
  async (era) => {
    const { door } = await openDoor();
    const { token, id } = door.tokens.create({ role: "operator", name: "brief" });
    const client = await connect(door, token, era);
    const waiting = client.callTool(WAITING).catch(() => "over");
    const pid = await begun(door);

    door.tokens.revoke(id);

    await expect(call(client, "list_runs")).rejects.toThrow();
    if (era === "2026-07-28") expect(await waiting).toBe("over");
    await door.kernel.send(pid, "still there");
    expect(await door.kernel.wait(pid)).toMatchObject({ output: "still there" });
  },
);

test.each(["2025-11-25", "2026-07-28"] as const)(
  "%s: a daemon that stops ends no run: it goes on at the next start",
  async (era) => {
    const first = await openFrontDoor({ keep: true });
    const client = await connect(first, first.token("operator", { name: "olga" }), era);
    const waiting = client.callTool(WAITING).catch(() => "over");
    const pid = await begun(first);
    await first.close();
    await waiting;

    const second = await openFrontDoor({ folder: first.gateway.home.folder });
    onTestFinished(() => second.close());

    await second.kernel.send(pid, "still there");
    expect(await second.kernel.wait(pid)).toMatchObject({ output: "still there" });
  },
);
