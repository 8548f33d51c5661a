// Fleets: replicas of an agent on a queue of items.

import { bootKernel } from "@aos/kernel";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  booted,
  by,
  eventsOf,
  fleetText,
  inState,
  MINUTE,
  send,
  type Hands,
} from "../../helpers/fleets.ts";
import { TOOLS, until } from "../../helpers/kernel.ts";

describe("a fleet", () => {
  test("handles each item once, by a run of its own, and says what came of it", async () => {
    const { kernel } = await booted();
    await kernel.applyFleet({ fleet: fleetText({ replicas: 2 }), by });

    for (let nth = 0; nth < 10; nth++) await send(kernel, { nth }, `item-${nth}`);
    const done = await inState(kernel, "done", 10);

    expect(done.map(({ output }) => output).toSorted()).toEqual(
      Array.from({ length: 10 }, (_, nth) => `did {"nth":${nth}}`),
    );
    expect(await kernel.list({ limit: 100 })).toHaveLength(10);
    expect(await kernel.fleet("workers")).toMatchObject({
      state: "active",
      replicas: 2,
      waiting: 0,
      done: 10,
      dead: 0,
      errorRate: 0,
      versions: [{ version: 1, role: "stable", runs: 10, errors: 0 }],
    });
  });

  test("takes a key once, and refuses it with something else (FLEET-QUEUE-1)", async () => {
    const { kernel } = await booted();
    await kernel.applyFleet({ fleet: fleetText(), by });

    await send(kernel, { a: 1 }, "k");
    const again = await send(kernel, { a: 1 }, "k");
    const other = send(kernel, { a: 2 }, "k");

    await expect(other).rejects.toMatchObject({ code: "EEXIST" });
    expect(again.id).toBe("k");
    await inState(kernel, "done", 1);
    expect(await kernel.list()).toHaveLength(1);
  });

  test("checks an input at the door against its schema, its agent's, and its size (FLEET-QUEUE-2)", async () => {
    const agents = () => ({
      manifest: {
        apiVersion: "aos/v1" as const,
        kind: "Agent" as const,
        name: "strict",
        program: "work",
        mailbox: { schema: { type: "object", required: ["to"] } },
      },
    });
    const { kernel } = await booted({ agents: agents as never });
    await kernel.applyFleet({ fleet: fleetText({ agent: "strict" }), by });
    const own = { name: "own", agent: "strict", schema: { type: "string" } };
    await kernel.applyFleet({ fleet: fleetText(own), by });

    await expect(send(kernel, { from: "me" })).rejects.toMatchObject({ code: "EINVAL" });
    await expect(send(kernel, { to: "x".repeat(300_000) })).rejects.toMatchObject({
      code: "EINVAL",
    });
    await expect(send(kernel, { to: "me" }, undefined, "own")).rejects.toMatchObject({
      code: "EINVAL",
    });
    await send(kernel, { to: "me" });
    await send(kernel, "text", undefined, "own");

    await inState(kernel, "done", 1);
    await inState(kernel, "done", 1, "own");
  });

  test("gives up an item after its attempts, goes on with the others, and takes it again by hand", async () => {
    let isMended = false;
    const shaky = async (sys: Hands, input: { bad?: boolean }) => {
      if (input.bad === true && (await sys.exec("mood", {})) !== true) throw new Error("poison");
      return "fine";
    };
    const mood = {
      name: "mood",
      effect: "read",
      version: "1",
      description: "how it goes today",
      input: {},
      label: { integrity: "trusted", secrecy: "public" },
      touches: () => [],
      run: async () => isMended,
    };
    const { kernel } = await booted({ programs: { shaky }, tools: [mood] } as never);
    const capabilities = ["tool:mood:call"];
    await kernel.applyFleet({ fleet: fleetText({ agent: "shaky", capabilities }), by });

    await send(kernel, { bad: true }, "bad");
    await send(kernel, {}, "good");
    const [dead] = await inState(kernel, "dead", 1);
    await inState(kernel, "done", 1);

    expect(dead).toMatchObject({ id: "bad", attempt: 3, reason: "poison (attempt 3 of 3)" });
    expect(await eventsOf(kernel)).toContain("dead bad: poison (attempt 3 of 3)");
    expect((await kernel.fleet("workers")).errorRate).toBe(0.75);
    await expect(kernel.retryFleetItem("workers", { item: "good", by })).rejects.toMatchObject({
      code: "ESTATE",
    });
    isMended = true;
    await kernel.retryFleetItem("workers", { item: "bad", by });
    await inState(kernel, "done", 2);
  });

  test("does not repeat an attempt that had external effects, unless it is told to (ATTEMPT-RULE-2)", async () => {
    const { kernel, runs } = await booted();
    const paying = { agent: "pay", capabilities: TOOLS };
    const restart = { backoff: "1ms", maxBackoff: "1ms", attempts: 2 };
    await kernel.applyFleet({ fleet: fleetText({ ...paying, restart }), by });
    const told = { name: "told", ...paying, restart: { ...restart, afterEffects: "retry" } };
    await kernel.applyFleet({ fleet: fleetText(told), by });

    await send(kernel, {}, "once");
    await send(kernel, {}, "twice", "told");
    const [once] = await inState(kernel, "dead", 1);
    const [twice] = await inState(kernel, "dead", 1, "told");

    expect(once).toMatchObject({ attempt: 1 });
    expect(once!.reason).toContain("1 external effect");
    expect(twice).toMatchObject({ attempt: 2 });
    expect(runs.filter(({ tool }) => tool === "pay")).toHaveLength(3);
  });

  test("scales with its queue between its bounds, and down again after the cool-down", async () => {
    const { kernel, clock, runs } = await booted();
    const scale = { min: 0, max: 3, target: 2, coolDown: "1m" };
    const text = fleetText({ agent: "hold", capabilities: TOOLS, scale });
    await kernel.applyFleet({ fleet: text, by });

    for (let nth = 0; nth < 8; nth++) await send(kernel, {}, `i${nth}`);
    await until(() => runs.length === 3, "three replicas");
    expect(await kernel.fleet("workers")).toMatchObject({ replicas: 3, waiting: 5 });
    const releasing = setInterval(() => runs.forEach((run) => run.release()), 5);
    onTestFinished(() => clearInterval(releasing));
    await inState(kernel, "done", 8);
    await until(async () => {
      clock.move(MINUTE);
      return (await kernel.fleet("workers")).replicas === 0;
    }, "scaled to zero");

    const scaled = (await eventsOf(kernel)).filter((one) => one.startsWith("scaled"));
    expect(scaled[0]).toMatch(/^scaled 0 to 1/);
    expect(scaled.map((one) => Number(one.split(" ")[3]!.replace(":", ""))).at(-1)).toBe(0);
    expect(Math.max(...scaled.map((one) => Number.parseInt(one.split(" ")[3]!, 10)))).toBe(3);
  });

  test("adds a replica while its oldest item is too old", async () => {
    const { kernel, clock, runs } = await booted();
    const scale = { min: 1, max: 5, target: 100, age: "30s" };
    const text = fleetText({ agent: "hold", capabilities: TOOLS, scale });
    await kernel.applyFleet({ fleet: text, by });
    for (let nth = 0; nth < 3; nth++) await send(kernel, {}, `i${nth}`);
    await until(() => runs.length === 1);

    clock.move(31_000);
    await until(() => runs.length === 2, "a second replica");
    expect(await kernel.fleet("workers")).toMatchObject({ replicas: 2 });
    await kernel.scaleFleet("workers", { min: 3, max: 3, by });
    await until(() => runs.length === 3);
    runs.forEach((run) => run.release());
    await inState(kernel, "done", 3);

    expect(await kernel.fleet("workers")).toMatchObject({ replicas: 3, min: 3, max: 3 });
  });

  test("begins nothing that its month has no money for: what one run may use is reserved (FLEET-ATTEMPTS-4)", async () => {
    const { kernel, clock, runs } = await booted();
    const limits = { budget: { usd: 1 }, monthly: { usd: 2.5 }, replicas: 5 };
    const text = fleetText({ agent: "hold", capabilities: TOOLS, ...limits });
    await kernel.applyFleet({ fleet: text, by });

    for (let nth = 0; nth < 4; nth++) await send(kernel, {}, `i${nth}`);
    await until(() => runs.length === 2);
    await until(async () => (await kernel.fleet("workers")).replicas === 2, "no more replicas");
    expect(runs).toHaveLength(2);
    await until(async () => (await kernel.fleet("workers")).limitedBy !== null, "the reason");
    expect((await kernel.fleet("workers")).limitedBy).toContain("budget");
    const releasing = setInterval(() => runs.forEach((run) => run.release()), 5);
    onTestFinished(() => clearInterval(releasing));
    clock.move(1000);

    await inState(kernel, "done", 4); // nothing was spent: what was reserved is free again
  });

  test("has at most one run that waits for admission: the rest of its items wait in it (FLEET-ATTEMPTS-5)", async () => {
    const { kernel, runs } = await booted({ admission: { running: 1 } } as never);
    const text = fleetText({ agent: "hold", capabilities: TOOLS, replicas: 5 });
    await kernel.applyFleet({ fleet: text, by });

    for (let nth = 0; nth < 5; nth++) await send(kernel, {}, `i${nth}`);
    await until(async () => (await kernel.fleet("workers")).limitedBy !== null);

    expect(await kernel.list({ states: ["pending"] })).toHaveLength(1);
    expect(await kernel.fleet("workers")).toMatchObject({ waiting: 3 });
    const releasing = setInterval(() => runs.forEach((run) => run.release()), 5);
    onTestFinished(() => clearInterval(releasing));
    await inState(kernel, "done", 5);
  });

  test("that is paused takes items and begins none; drained it takes none, and running ones end", async () => {
    const { kernel, runs } = await booted();
    const text = fleetText({ agent: "hold", capabilities: TOOLS });
    await kernel.applyFleet({ fleet: text, by });
    await send(kernel, {}, "first");
    await until(() => runs.length === 1);

    await kernel.pauseFleet("workers", { by, reason: "lunch" });
    await send(kernel, {}, "second");
    expect(await kernel.fleet("workers")).toMatchObject({
      state: "paused",
      reason: "by tester: lunch",
      waiting: 1,
    });
    await kernel.drainFleet("workers", { by });
    await expect(send(kernel, {}, "third")).rejects.toMatchObject({ code: "ESTATE" });
    expect((await kernel.fleet("workers")).state).toBe("draining");
    runs[0]!.release();
    await inState(kernel, "done", 1);
    await until(async () => (await eventsOf(kernel)).includes("drained nothing runs any more"));

    expect(await kernel.fleet("workers")).toMatchObject({ state: "drained", waiting: 1 });
    expect(runs).toHaveLength(1);
    await kernel.resumeFleet("workers", { by });
    await until(() => runs.length === 2);
    runs[1]!.release();
    await inState(kernel, "done", 2);
  });

  test("is not removed with unfinished items, unless it is said what becomes of them", async () => {
    const { kernel, runs } = await booted();
    const text = fleetText({ agent: "hold", capabilities: TOOLS });
    for (const name of ["workers", "stopped"]) {
      await kernel.applyFleet({ fleet: { ...text, name }, by });
      await send(kernel, {}, "first", name);
      await send(kernel, {}, "second", name);
    }
    await until(() => runs.length === 2);

    await expect(kernel.removeFleet("workers", { by })).rejects.toMatchObject({ code: "ESTATE" });
    const discarded = await kernel.removeFleet("workers", { by, force: "discard" });
    const stopped = await kernel.removeFleet("stopped", { by, force: "stop" });

    expect(discarded).toEqual({ discarded: 1, stopped: 0 });
    expect(stopped).toEqual({ discarded: 1, stopped: 1 });
    expect(await kernel.fleets()).toEqual([]);
    await until(async () => (await kernel.list({ states: ["killed"] })).length === 1);
    runs.forEach((run) => run.release());
    await until(async () => (await kernel.list({ states: ["completed"] })).length === 1);
  });

  test("takes the messages of its topic as items, with their labels; what does not fit is dead (FLEET-QUEUE-3)", async () => {
    const seen = async (sys: { self(): Promise<{ label?: unknown }> }, input: unknown) => {
      const { label } = await sys.self();
      return JSON.stringify([input, label]);
    };
    const { kernel } = await booted({ programs: { seen } as never });
    const text = fleetText({ agent: "seen", topic: "mail.*", schema: { type: "object" } });
    await kernel.applyFleet({ fleet: text, by });

    const label = { integrity: "untrusted", secrecy: "internal" } as const;
    await kernel.publish("mail.in", { nr: 1 }, { label });
    await kernel.publish("mail.in", "no object", { label });
    const [done] = await inState(kernel, "done", 1);
    const [dead] = await inState(kernel, "dead", 1);

    expect(done).toMatchObject({ label: "untrusted/internal" });
    expect(done!.id).toMatch(/^topic:/);
    expect(dead!.reason).toContain("does not fit the schema");
  });

  test("survives a crash: what runs goes on, what waits is begun, nothing twice", async () => {
    const { kernel, crash, runs } = await booted();
    const text = fleetText({ agent: "hold", capabilities: TOOLS, replicas: 2 });
    await kernel.applyFleet({ fleet: text, by });
    for (let nth = 0; nth < 4; nth++) await send(kernel, {}, `i${nth}`);
    await until(() => runs.length === 2);

    const { kernel: next } = await crash();
    const releasing = setInterval(() => runs.forEach((run) => run.release()), 5);
    onTestFinished(() => clearInterval(releasing));
    const done = await inState(next, "done", 4);

    expect(await next.list({ limit: 100 })).toHaveLength(4);
    expect(done.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
    expect(done.filter(({ crashes }) => crashes === 1)).toHaveLength(2);
  });

  test("a clean stop is no attempt; hosts that die are, and such an item is given up (FLEET-RUNNER-2)", async () => {
    const first = await booted();
    const restart = { attempts: 2, backoff: "1ms", maxBackoff: "1ms" };
    const text = fleetText({ agent: "hold", capabilities: TOOLS, restart });
    await first.kernel.applyFleet({ fleet: text, by });
    await send(first.kernel, {}, "poison");
    await until(() => first.runs.length === 1);

    const second = await first.again();
    await until(() => second.runs.length === 2);
    expect(await second.kernel.fleetItem("workers", { item: "poison" })).toMatchObject({
      crashes: 0,
    });
    const third = await second.crash();
    await until(() => third.runs.length === 3);
    const fourth = await third.crash();
    const [dead] = await inState(fourth.kernel, "dead", 1);

    expect(dead).toMatchObject({ attempt: 1, crashes: 2 });
    expect(dead!.reason).toContain("the host died 2 times while it ran");
    expect(fourth.runs).toHaveLength(3); // it was ended before it began again
  });

  test("holds nothing of what is forgotten, but for what is not over", async () => {
    const work = async (_sys: unknown, input: unknown) => `did ${JSON.stringify(input)}`;
    const kernel = await bootKernel({ programs: { work } });
    onTestFinished(() => kernel.close());
    await kernel.applyFleet({ fleet: fleetText(), by });
    await send(kernel, "the ferry of Zanzibar", "over");
    await send(kernel, "a bus", "bus");
    await inState(kernel, "done", 2);
    await kernel.pauseFleet("workers", { by });
    await send(kernel, "Zanzibar again", "open");

    const report = await kernel.forgetMemory({ about: "Zanzibar", by } as never);

    expect(report.left).toContainEqual({ because: "running", rows: 1 });
    const left = (await kernel.fleetItems("workers")).map(({ id }) => id);
    expect(left.toSorted()).toEqual(["bus", "open"]);
  });

  test("refuses what cannot be, in words", async () => {
    const { kernel } = await booted();
    const refused = (more: Record<string, unknown>) =>
      kernel.applyFleet({ fleet: fleetText(more), by, mustBeNew: true }).then(
        () => "taken",
        (error: Error) => error.message,
      );

    expect(await refused({ agent: "nobody" })).toContain("unknown agent nobody");
    expect(await refused({ replicas: 1, scale: { max: 2 } })).toContain("fixed number");
    expect(await refused({ scale: { min: 3, max: 2 } })).toContain("min is more than max");
    expect(await refused({ monthly: { usd: 5 } })).toContain("needs `budget.usd`");
    expect(await refused({ size: 3 })).toContain("size: no such field");
    expect(await refused({ label: "purple" })).toContain("unknown label");
    expect(await refused({})).toBe("taken");
    expect(await refused({})).toContain("already exists");
    await expect(kernel.scaleFleet("workers", { min: 3, max: 1, by })).rejects.toMatchObject({
      code: "EINVAL",
    });
    await expect(kernel.fleet("none")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
