// What processes do, told over the network: server-sent events and WebSockets.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FeedEvent } from "@aos/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let folder: string;
let door: FrontDoor;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "aos-events-"));
  door = await openFrontDoor({ folder, keep: true });
});
afterEach(async () => {
  await door.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

interface Seen {
  readonly id: string;
  readonly kind: string;
  readonly event: FeedEvent;
}

/** A watcher as a browser is one: it remembers the last id. */
class Watcher {
  readonly seen: Seen[] = [];
  readonly response: Response;
  readonly #hangingUp: AbortController;
  readonly over: Promise<void>;

  private constructor(response: Response, hangingUp: AbortController) {
    this.response = response;
    this.#hangingUp = hangingUp;
    this.over = this.#read().catch(() => {});
  }

  static async at(path: string, token: string, lastId?: string): Promise<Watcher> {
    const hangingUp = new AbortController();
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastId === undefined ? {} : { "last-event-id": lastId }),
    };
    const response = await fetch(door.url + path, { headers, signal: hangingUp.signal });
    return new Watcher(response, hangingUp);
  }

  get lastId(): string | undefined {
    return this.seen.at(-1)?.id;
  }

  get ids(): string[] {
    return this.seen.map(({ id }) => id);
  }

  async hangUp(): Promise<void> {
    this.#hangingUp.abort();
    await this.over;
  }

  async #read(): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const piece of this.response.body!) {
      rest += decoder.decode(piece, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    const fields = new Map(
      block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]),
    );
    const data = fields.get("data");
    if (data === undefined) return;
    const event = JSON.parse(data) as FeedEvent;
    this.seen.push({ id: fields.get("id") ?? "", kind: fields.get("event") ?? "message", event });
  }
}

const until = (isSo: () => boolean) =>
  vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 120_000 });

const wholeJournal = async (...pids: string[]) =>
  (
    await Promise.all(
      pids.map(async (pid) => (await door.kernel.journal(pid)).map(({ seq }) => `${pid}:${seq}`)),
    )
  ).flat();

test("a watcher is told every record of every process, each once", async () => {
  const watcher = await Watcher.at("/api/v1/events", door.token("viewer"));
  expect(watcher.response.headers.get("content-type")).toBe("text/event-stream");

  const pids = [await door.spawn("echo"), await door.spawn("listen", "b")];
  await door.kernel.send(pids[1]!, "hello");
  await Promise.all(pids.map((pid) => door.kernel.wait(pid, { timeoutMs: 120_000 })));

  const all = await wholeJournal(...pids);
  await until(() => watcher.seen.length >= all.length);
  expect(watcher.ids.toSorted()).toEqual(all.toSorted());
  expect(watcher.seen[0]!.event).toMatchObject({ pid: pids[0], tree: pids[0], tenant: "default" });
  await watcher.hangUp();
});

test("who comes again after its last id misses nothing and is told nothing twice, after a restart too", async () => {
  const token = door.token("viewer");
  const pids = [await door.spawn("note"), await door.spawn("note", "b"), await door.spawn("note")];
  const first = await Watcher.at("/api/v1/events", token);
  const say = async (words: string[]) => {
    for (const word of words) for (const pid of pids) await door.kernel.send(pid, word);
  };
  await say(["one"]);
  await until(() => first.seen.length >= 3);
  await first.hangUp();
  const before = await wholeJournal(...pids);

  await say(["two", "three"]);
  const second = await Watcher.at("/api/v1/events", token, first.lastId);
  await say(["four"]);
  await until(() => second.seen.length >= 9);
  await second.hangUp();
  // A new daemon on the same home.
  await door.close();
  door = await openFrontDoor({ folder, keep: true });
  await say(["five"]);
  const third = await Watcher.at("/api/v1/events", token, second.lastId);
  await say(["stop"]);
  await Promise.all(pids.map((pid) => door.kernel.wait(pid, { timeoutMs: 120_000 })));

  const told = [...first.ids, ...second.ids];
  const missing = async () =>
    (await wholeJournal(...pids)).filter((id) => !told.includes(id) && !third.ids.includes(id));
  const atFirst = before.filter((id) => !first.ids.includes(id));
  await vi.waitFor(async () => expect((await missing()).toSorted()).toEqual(atFirst.toSorted()));
  const everything = [...told, ...third.ids];
  expect(new Set(everything).size).toBe(everything.length);
  await third.hangUp();
});

test("one process, from its first record to its end; who has the end is told to stay away", async () => {
  const pid = await door.spawn("listen");
  const token = door.token("viewer");
  const watcher = await Watcher.at(`/api/v1/processes/${pid}/events`, token);
  await door.kernel.send(pid, "hello");

  await watcher.over;

  expect(watcher.ids).toEqual(await wholeJournal(pid));
  const again = await Watcher.at(`/api/v1/processes/${pid}/events`, token, watcher.lastId);
  expect(again.response.status).toBe(204);
});

test("a watcher can ask for one process, or one tree", async () => {
  const [one, other] = [await door.spawn("note"), await door.spawn("note")];
  const token = door.token("viewer");
  const ofOne = await Watcher.at(`/api/v1/events?pid=${one}`, token);
  const ofTree = await Watcher.at(`/api/v1/events?tree=${other}`, token);

  await door.kernel.send(one, "x");
  await door.kernel.send(other, "x");
  await until(() => ofOne.seen.length > 0 && ofTree.seen.length > 0);

  expect(new Set(ofOne.seen.map(({ event }) => event.pid))).toEqual(new Set([one]));
  expect(new Set(ofTree.seen.map(({ event }) => event.pid))).toEqual(new Set([other]));
  await Promise.all([ofOne.hangUp(), ofTree.hangUp()]);
});

test("the event stream of another tenant is empty, live and out of the journal", async () => {
  const token = door.token("viewer", { tenant: "b" });
  const own = await door.spawn("note", "b");
  const live = await Watcher.at("/api/v1/events", token);
  const theirs = await door.spawn("note", "a");
  await door.kernel.send(theirs, "secret of a");
  await door.kernel.send(own, "of b");
  await until(() => live.seen.length > 0);

  const past = await Watcher.at("/api/v1/events", token, `${own}:0`);
  await until(() => past.seen.length > 0);
  const fromTheirs = await Watcher.at("/api/v1/events", token, `${theirs}:0`);
  await until(() => fromTheirs.seen.length > 0);
  const direct = await Watcher.at(`/api/v1/processes/${theirs}/events`, token);
  const filtered = await Watcher.at(`/api/v1/events?pid=${theirs}`, token);

  for (const { seen } of [live, past])
    expect(new Set(seen.map(({ event }) => event.tenant))).toEqual(new Set(["b"]));
  expect(fromTheirs.seen.map(({ kind }) => kind)).toEqual(["reset"]);
  expect([direct.response.status, filtered.response.status]).toEqual([404, 404]);
  await Promise.all([live, past, fromTheirs].map((watcher) => watcher.hangUp()));
});

test("what is no id of an event is refused", async () => {
  const watcher = await Watcher.at("/api/v1/events?after=7", door.token("viewer"));

  expect(watcher.response.status).toBe(400);
});

const attach = (pid: string, headers: Record<string, string>) =>
  new WebSocket(`ws://127.0.0.1:${door.port}/api/v1/processes/${pid}/attach`, { headers });

/** How a WebSocket that is not let in is answered. */
const refusal = async (web: WebSocket): Promise<number> => {
  const [, response] = (await once(web, "unexpected-response")) as [
    unknown,
    { statusCode: number },
  ];
  web.on("error", () => {});
  web.terminate();
  return response.statusCode;
};

test("a WebSocket tells what a process does, and takes messages and signals for it", async () => {
  const pid = await door.spawn("note");
  const token = door.token("operator");
  const web = attach(pid, { authorization: `Bearer ${token}` });
  const frames: Record<string, unknown>[] = [];
  web.on("message", (data) =>
    frames.push(JSON.parse((data as Buffer).toString()) as Record<string, unknown>),
  );
  await once(web, "open");

  web.send(JSON.stringify({ id: 1, send: { body: "hello" } }));
  web.send("nonsense");
  web.send(JSON.stringify({ id: 2, send: { body: "stop" } }));
  const [code] = (await once(web, "close")) as [number];

  expect(code).toBe(1000);
  expect(frames).toContainEqual({ ok: 1 });
  expect(frames).toContainEqual({ error: expect.objectContaining({ code: "EINVAL" }), id: null });
  const seqs = frames.flatMap(({ record }) => (record as { seq: number } | undefined)?.seq ?? []);
  expect(seqs).toEqual((await door.kernel.journal(pid)).map(({ seq }) => seq));
});

test("a viewer's WebSocket looks on and sends nothing", async () => {
  const pid = await door.spawn("note");
  const web = attach(pid, { authorization: `Bearer ${door.token("viewer")}` });
  await once(web, "open");

  web.send(JSON.stringify({ id: 1, signal: "SIGKILL" }));
  const frame = await new Promise<object>((resolve) => {
    web.on("message", (data) => {
      const read = JSON.parse((data as Buffer).toString()) as object;
      if ("id" in read) resolve(read);
    });
  });

  expect(frame).toMatchObject({ error: { code: "EACCES" }, id: 1 });
  expect((await door.kernel.show(pid)).state).not.toBe("killed");
  web.terminate();
});

test("a WebSocket goes through everything that a request goes through", async () => {
  const pid = await door.spawn("note", "a");
  const operator = { authorization: `Bearer ${door.token("operator")}` };
  const bob = { authorization: `Bearer ${door.token("operator", { tenant: "b" })}` };

  expect(await refusal(attach(pid, {}))).toBe(401);
  expect(await refusal(attach(pid, bob))).toBe(404);
  expect(await refusal(attach(pid, { ...operator, origin: "https://evil.example" }))).toBe(403);
  expect(await refusal(attach(pid, { ...operator, host: "evil.example" }))).toBe(421);
});
