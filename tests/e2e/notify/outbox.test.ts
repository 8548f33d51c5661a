// The outbox: everything that people are to be told is told, at least once, by the rules of its target.

import { afterEach, describe, expect, test } from "vitest";
import { checkConfigText } from "@aos/daemon/parts";
import { postgres, stores } from "../../helpers/stores.ts";
import { until } from "../../helpers/kernel.ts";
import { notificationsOf, openNotifyDoor, type NotifyDoor } from "./notify-door.ts";

let open: NotifyDoor | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

const hook =
  (more: object = {}) =>
  (url: string) => ({
    ops: { kind: "webhook", url: `${url}/hook`, events: ["failure", "finished"], ...more },
  });

const log = (state?: string) =>
  open!.door.kernel.posts({ box: "out", ...(state ? { states: [state as "dead"] } : {}) });

const kinds = () => open!.service.received.map(({ body }) => body["type"]);

describe.each(stores)("on $name", (store) => {
  test("runs that end are told of once, with what they said", async () => {
    open = await openNotifyDoor(hook(), { store });
    const { door, service } = open;

    const failed = await door.spawn("fail");
    await until(() => service.received.length === 1);
    await door.kernel.wait(await door.spawn("echo"));
    await until(() => service.received.length === 2);

    expect(kinds()).toEqual(["aos.failure", "aos.finished"]);
    expect(service.received[0]!.text).toContain(failed);
    expect(service.received[0]!.text).toContain("it went wrong");
    await until(async () => (await log("done")).length === 2);
  });

  test("what fails is tried again under the same id, and what is refused for good is dead (OUTBOX-2)", async () => {
    open = await openNotifyDoor(hook(), { store });
    const { door, service } = open;
    service.answers.push({ status: 503 }, { status: 429, headers: { "retry-after": "0" } });
    await door.spawn("fail");
    await until(async () => (await log("done")).length === 1);
    service.usual = () => ({ status: 403 });
    await door.spawn("fail");
    await until(async () => (await log("dead")).length === 1);

    const ids = service.received.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(ids).toHaveLength(4);
    const [dead] = await log("dead");
    expect(dead).toMatchObject({ attempts: 1, error: "the webhook answered 403" });

    service.usual = () => ({});
    await door.kernel.retryPost(dead!.id, { by: "tester" });
    await until(async () => (await log("done")).length === 2);
    expect(service.received.at(-1)!.headers["webhook-id"]).toBe(dead!.id);
  });

  test("a daemon that stops in the middle leaves the rest to the next (OUTBOX-1)", async () => {
    open = await openNotifyDoor(hook(), { store });
    const { door, service, notify } = open;
    const reached = Promise.withResolvers<void>();
    service.usual = () => {
      reached.resolve();
      return new Promise(() => {}); // it never answers
    };
    await door.spawn("fail");
    await reached.promise;
    await notify.close();
    service.usual = () => ({});

    const next = notificationsOf(door);
    next.begin();
    await until(async () => (await log("done")).length === 1);
    await next.close();

    const ids = service.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

test("two nodes on one database send each notification once", async () => {
  open = await openNotifyDoor(hook({ events: ["finished"] }), { store: postgres });
  const { door, service } = open;
  const other = notificationsOf(door);
  other.begin();

  const pids = await Promise.all(Array.from({ length: 20 }, () => door.spawn("echo")));
  await Promise.all(pids.map((pid) => door.kernel.wait(pid)));
  await until(async () => (await log("done")).length === 20);
  await other.close();

  expect(service.received).toHaveLength(20);
});

test("Retry-After is waited for, and a target that never takes it is given up after its tries", async () => {
  open = await openNotifyDoor(hook({ tries: 3 }));
  const { door, service } = open;
  service.answers.push({ status: 429, headers: { "retry-after": "3000" } });
  await door.spawn("fail");
  await until(async () =>
    (await log()).some(({ attempts, error }) => attempts === 1 && error !== null),
  );

  const [waiting] = await log("waiting");
  expect(waiting!.dueAt - Date.now()).toBeGreaterThan(2_000_000);

  service.usual = () => ({ status: 500 });
  await door.spawn("fail");
  await until(async () => (await log("dead")).length === 1);
  expect((await log("dead"))[0]!.attempts).toBe(3);
});

test("an agent that asks in a loop gets no more than `perHour`, and one line says so (NOTIFICATION-SWEEP-3)", async () => {
  open = await openNotifyDoor(hook({ perHour: 3, events: ["failure"] }));
  const { door, service } = open;
  for (let n = 0; n < 8; n++) await door.kernel.wait(await door.spawn("fail"));

  await until(async () => (await log("held")).length === 5 && service.received.length === 4);

  expect(kinds().filter((kind) => kind === "aos.more")).toHaveLength(1);
});

test("a question that is answered before it is told of is told to nobody (NOTICE-OF-2)", async () => {
  open = await openNotifyDoor(hook({ events: ["approval"], person: "alice" }));
  const { door, service } = open;
  service.usual = () => ({ status: 500 }); // nobody is told of it before it is answered
  const pid = await door.spawn("ask");
  await until(() => service.received.length > 0);
  const [question] = await door.kernel.questions({ pid });
  await door.kernel.answer(question!.id, { by: "bob", choice: "no" });

  await until(async () => (await log("void")).length === 1);
  expect(await log("done")).toEqual([]);
});

test("a target hears of its tenant only, and of its agents", async () => {
  open = await openNotifyDoor((url) => ({
    mine: { kind: "webhook", url: `${url}/mine`, events: ["failure"], tenant: "a" },
    picky: { kind: "webhook", url: `${url}/picky`, events: ["failure"], agents: ["other"] },
    rest: { kind: "webhook", url: `${url}/rest`, events: ["failure"] },
  }));
  const { door, service } = open;
  const ofA = await door.spawn("fail", "a");
  const ofAll = await door.spawn("fail");
  await until(() => service.received.length === 2);
  const other = door.token("operator", { tenant: "b" });
  const seen = await (await door.call("notifications", {}, { token: other })).json();
  const targets = await (await door.call("notifyTargets", {}, { token: other })).json();
  const [post] = await door.kernel.posts({ tenant: "a" });
  const retried = await door.call("retryNotification", { id: post!.id }, { token: other });

  const told = service.received.map(({ path, body }) => [path, JSON.stringify(body)] as const);
  expect(told.find(([path]) => path === "/mine")![1]).toContain(ofA);
  expect(told.find(([path]) => path === "/rest")![1]).toContain(ofAll);
  expect([seen, targets]).toEqual([[], []]);
  expect(retried.status).toBe(404);
});

test("words that are more secret than the target may have stay, and secrets are taken out (NOTICE-OF-1)", async () => {
  open = await openNotifyDoor(hook({ events: ["finished"], upTo: "public" }));
  const { door, service } = open;
  const value = "a-value-that-nobody-sees";
  await door.kernel.setSecret({ name: "HIDDEN", value, bindings: [] }, "tester");
  const run = (secrecy: "public" | "internal", input: string) =>
    door.kernel.spawn({
      manifest: { apiVersion: "aos/v1", kind: "Agent", name: "echo", program: "echo" },
      input,
      label: { integrity: "untrusted", secrecy },
    });
  await run("public", `see ${value} at https://evil.example\u202e`);
  await run("internal", "the plan");
  await until(() => service.received.length === 2);

  const texts = service.received.map(({ text }) => text).join("\n");
  expect(texts).not.toContain(value);
  expect(texts).not.toContain("the plan");
  expect(texts).toContain("withheld");
  expect(texts).not.toContain("https://evil");
  expect(texts).not.toContain("\u202e");
  expect(texts).toContain("untrusted data");
});

test("a row that cannot be meant is refused with its line", () => {
  const config = (row: object) => () =>
    checkConfigText(JSON.stringify({ notify: { x: row } }), "config.yaml");
  const url = "https://hooks.example";

  expect(config({ kind: "webhook", url, person: "agt_1" })).toThrow(/a person, not a process/);
  expect(config({ kind: "webhook", url, surprise: 1 })).toThrow(/surprise/);
  expect(config({ kind: "slack", token: "T" })).toThrow(/belong together/);
  expect(config({ kind: "slack" })).toThrow(/either/);
  expect(
    config({ kind: "email", host: "h", from: "a@b\r\nBcc: x@y", to: ["a@b.example"] }),
  ).toThrow();
  expect(config({ kind: "webhook", url: "ftp://x" })).toThrow();
});

test("a test of a target says what came of it, and where its links lead", async () => {
  open = await openNotifyDoor(hook({ events: ["approval"], person: "alice", secret: "NO_KEY" }));
  const { notify, door } = open;

  const report = await notify.test("ops", "default");

  expect(report).toMatchObject({ ok: false, why: expect.stringContaining("NO_KEY") as string });
  expect(report.warnings).toEqual([
    `publicUrl is not set: links lead to ${door.url}, which only this machine reaches`,
  ]);
  await expect(notify.test("ops", "a")).rejects.toMatchObject({ code: "ENOENT" });
});
