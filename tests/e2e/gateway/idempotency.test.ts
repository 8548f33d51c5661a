// Requests that may be sent again, and are done once.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let folder: string;
let door: FrontDoor;
let token: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "aos-again-"));
  door = await openFrontDoor({ folder, keep: true });
  token = door.token("operator");
});
afterEach(async () => {
  await door.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

const file = () => join(folder, "idempotency.jsonl");
const spawn = (key: string, input: unknown = 1, by = token) =>
  door.call("spawn", { agent: "echo", input }, { token: by, headers: { "idempotency-key": key } });
const restart = async () => {
  await door.close();
  door = await openFrontDoor({ folder, keep: true });
};

test("the same key and body is answered as the first time, and nothing is done again", async () => {
  const [first, second] = [await spawn("k"), await spawn("k")];

  expect(await second.text()).toBe(await first.text());
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect(await door.kernel.list()).toHaveLength(1);
});

test("a failure that is final is answered again with its status", async () => {
  const bad = () =>
    door.call("spawn", { agent: "nobody-has-it" }, { token, headers: { "idempotency-key": "k" } });

  const [first, second] = [await bad(), await bad()];

  expect([first.status, second.status]).toEqual([404, 404]);
  expect(second.headers.get("content-type")).toBe("application/problem+json");
  expect(second.headers.get("idempotency-replayed")).toBe("true");
});

test("the same key for another body is refused", async () => {
  await spawn("k", 1);

  expect((await spawn("k", 2)).status).toBe(422);
  expect(await door.kernel.list()).toHaveLength(1);
});

test("while the first is under way the second is told so", async () => {
  const pid = await door.spawn("note");
  const invoke = () =>
    door.call("invoke", { pid, timeoutMs: 60_000 }, { token, headers: { "idempotency-key": "k" } });
  const first = invoke();
  await vi.waitFor(() => expect(readFileSync(file(), "utf8")).not.toBe(""));

  const second = await invoke();

  expect(second.status).toBe(409);
  expect(await second.json()).toMatchObject({ code: "EAGAIN" });
  await door.kernel.signal(pid, "SIGKILL");
  await first;
});

test("a stolen key of another caller finds nothing", async () => {
  const first = await spawn("k", "what alice sent");
  const mallory = door.token("operator", { name: "mallory" });

  const stolen = await spawn("k", "what alice sent", mallory);

  expect(stolen.headers.get("idempotency-replayed")).toBeNull();
  expect(await stolen.text()).not.toBe(await first.text());
  expect(await door.kernel.list()).toHaveLength(2);
});

test("a key whose caller may not do it any more is not answered", async () => {
  await spawn("k");
  const viewer = door.token("viewer");

  expect((await spawn("k", 1, viewer)).status).toBe(403);
});

test("a spawn is answered the same after a restart", async () => {
  const first = await spawn("k");
  await restart();

  const second = await spawn("k");

  expect(await second.text()).toBe(await first.text());
  expect(await door.kernel.list()).toHaveLength(1);
});

test("a spawn that a crash cut off before its answer was written is not done twice", async () => {
  const first = (await (await spawn("k")).json()) as { pid: string };
  await door.close();
  const [intent] = readFileSync(file(), "utf8").split("\n");
  writeFileSync(file(), `${intent}\n{"id":"half a li`);
  door = await openFrontDoor({ folder, keep: true });

  const second = await spawn("k");

  expect(await second.json()).toEqual(first);
  expect(await door.kernel.list()).toHaveLength(1);
});

test("a spawn that a crash cut off before it was begun is begun", async () => {
  await spawn("k");
  const { pid } = (await (await spawn("k")).json()) as { pid: string };
  await door.close();
  const [intent] = readFileSync(file(), "utf8").split("\n");
  rmSync(join(folder, "aos.db"));
  rmSync(join(folder, "aos.db-wal"), { force: true });
  writeFileSync(file(), `${intent}\n`);
  door = await openFrontDoor({ folder, keep: true });

  const second = await spawn("k");

  expect(await second.json()).toEqual({ pid });
  expect((await door.kernel.list()).map((one) => one.pid)).toEqual([pid]);
});

test("of anything else that a crash cut off it is said that it is not known", async () => {
  const pid = await door.spawn("note");
  const send = () =>
    door.call("send", { pid, body: 1 }, { token, headers: { "idempotency-key": "k" } });
  await send();
  await door.close();
  const [intent] = readFileSync(file(), "utf8").split("\n");
  writeFileSync(file(), `${intent}\n`);
  door = await openFrontDoor({ folder, keep: true });

  const second = await send();

  expect(second.status).toBe(409);
  expect(await second.json()).toMatchObject({ code: "EINDOUBT" });
});

test("neither key nor secret is in the file, and what answers with a secret takes no key", async () => {
  const headers = { "idempotency-key": "a-key-of-mine" };
  const secret = { name: "API_KEY", value: "sk-very-secret-value", bindings: [] };
  await door.call("setSecret", secret, { token, headers });

  const made = await door.call("createAccessToken", { role: "viewer" }, { token, headers });

  expect(made.status).toBe(400);
  const written = readFileSync(file(), "utf8");
  for (const word of ["a-key-of-mine", "sk-very-secret-value", "aost_"])
    expect(written).not.toContain(word);
});

test("a key that is none is refused", async () => {
  for (const key of ["", "with space", "x".repeat(201)])
    expect((await spawn(key)).status).toBe(400);
});
