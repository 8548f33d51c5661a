// The versions of a fleet: rolls that are promoted or taken back, and the power of its runs.

import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  booted,
  by,
  eventsOf,
  fleetText,
  inState,
  itemsOf,
  send,
  type Hands,
} from "../../helpers/fleets.ts";
import { TOOLS, until } from "../../helpers/kernel.ts";

describe("a roll", () => {
  const agentOf = (program: string) => ({
    apiVersion: "aos/v1" as const,
    kind: "Agent" as const,
    name: "worker",
    program,
  });
  const rolled = (program: string, roll: Record<string, unknown>) => {
    const { agent: _, ...text } = fleetText({ manifest: agentOf(program), roll });
    return text;
  };
  const rule = { share: 0.5, sample: 10, baseline: 10 };

  async function withTenDone() {
    const found = await booted();
    await found.kernel.applyFleet({ fleet: rolled("work", rule), by });
    for (let nth = 0; nth < 12; nth++) await send(found.kernel, {}, `old-${nth}`);
    await inState(found.kernel, "done", 12);
    return found;
  }

  test("to a version that fails goes back by itself, and the stable version does the rest", async () => {
    const { kernel } = await withTenDone();
    await kernel.rollFleet("workers", { fleet: rolled("fail", rule), by });

    for (let nth = 0; nth < 40; nth++) await send(kernel, {}, `new-${nth}`);
    await until(async () => (await kernel.fleet("workers")).roll === null, "the end of the roll");

    const { versions } = await kernel.fleet("workers");
    expect(versions).toMatchObject([{ version: 1, role: "stable" }]);
    const back = (await eventsOf(kernel)).find((one) => one.startsWith("rolled-back"));
    expect(back).toMatch(/version 2: \d+ of 10 runs failed, and 0 of \d+ of the stable version/);
    expect((await kernel.ledger()).findLast(({ by: who }) => who === "kernel")).toMatchObject({
      what: "fleet.set",
    });
    await until(async () => (await kernel.fleet("workers")).waiting === 0);
    const later = await send(kernel, {}, "later");
    await until(async () => {
      const { state, version } = await kernel.fleetItem("workers", { item: later.id });
      return state === "done" && version === 1;
    });
  });

  test("to a version that does well is promoted by itself, and gets every item from then on", async () => {
    const { kernel } = await withTenDone();
    await kernel.rollFleet("workers", { fleet: rolled("work2", rule), by }).then(
      () => expect.unreachable(),
      (error: Error) => expect(error.message).toContain("unknown program work2"),
    );
    const better = { ...rolled("work", rule), description: "better", capabilities: TOOLS };
    await kernel.rollFleet("workers", { fleet: better, by });

    for (let nth = 0; nth < 40; nth++) await send(kernel, {}, `new-${nth}`);
    await until(async () => (await kernel.fleet("workers")).roll === null, "the end of the roll");

    const report = await kernel.fleet("workers");
    expect(report.versions).toMatchObject([{ version: 2, role: "stable", capabilities: TOOLS }]);
    expect(report.fleet).toMatchObject({ description: "better" });
    expect((await eventsOf(kernel)).some((one) => one.startsWith("promoted version 2"))).toBe(true);
    await until(async () => (await kernel.fleet("workers")).waiting === 0);
    const versions = new Set((await itemsOf(kernel)).map(({ version }) => version));
    expect(versions).toEqual(new Set([1, 2]));
  });

  test("gives the new version the first items, holds, and is paused, promoted or taken back by hand", async () => {
    const { kernel } = await withTenDone();
    const first = { first: 3, sample: 40, baseline: 1000 };
    await kernel.rollFleet("workers", {
      fleet: { ...rolled("work", first), capabilities: TOOLS },
      by,
    });
    await expect(
      kernel.rollFleet("workers", { fleet: rolled("fail", first), by }),
    ).rejects.toMatchObject({ code: "ESTATE" });
    await expect(kernel.applyFleet({ fleet: rolled("fail", rule), by })).rejects.toMatchObject({
      code: "ESTATE",
    });

    for (let nth = 0; nth < 6; nth++) await send(kernel, {}, `new-${nth}`);
    await inState(kernel, "done", 18);
    const { roll } = await kernel.fleet("workers");
    expect(roll).toMatchObject({ from: 1, to: 2, runs: 3, verdict: "hold", isPaused: false });
    expect((await itemsOf(kernel)).filter(({ version }) => version === 2)).toHaveLength(3);
    await kernel.decideFleetRoll("workers", { decision: "pause", by });
    expect((await kernel.fleet("workers")).roll).toMatchObject({ isPaused: true });
    await kernel.decideFleetRoll("workers", { decision: "rollback", by });
    expect((await kernel.fleet("workers")).versions).toMatchObject([{ version: 1 }]);
    await expect(
      kernel.decideFleetRoll("workers", { decision: "promote", by }),
    ).rejects.toMatchObject({ code: "ESTATE" });
    await kernel.rollFleet("workers", {
      fleet: { ...rolled("work", first), capabilities: TOOLS },
      by,
    });
    await kernel.decideFleetRoll("workers", { decision: "promote", by });

    expect((await kernel.fleet("workers")).versions).toMatchObject([
      { version: 3, role: "stable" },
    ]);
  });
});

describe("the power of a fleet", () => {
  const set = async (sys: Hands) =>
    sys.exec("set", {}).then(
      () => "set",
      (error: { code: string }) => error.code,
    );

  test("is what its agent had when it was written, and not what the agent was given since (FLEET-ATTEMPTS-2)", async () => {
    let capabilities: readonly string[] = [];
    const setter = () => ({
      manifest: {
        apiVersion: "aos/v1" as const,
        kind: "Agent" as const,
        name: "setter",
        program: "set",
        capabilities: [...capabilities],
      },
    });
    const { kernel, clock } = await booted({ agents: setter as never, programs: { set } as never });
    await kernel.applyFleet({ fleet: fleetText({ agent: "setter" }), by });
    clock.move(1);
    capabilities = TOOLS;
    await kernel.grant({ agent: "setter" }, { capabilities: TOOLS, by });

    await send(kernel, {}, "before");
    const [before] = await inState(kernel, "done", 1);
    await kernel.rollFleet("workers", { fleet: fleetText({ agent: "setter" }), by });
    await kernel.decideFleetRoll("workers", { decision: "promote", by });
    await send(kernel, {}, "after");
    await inState(kernel, "done", 2);

    expect(before!.output).toBe("EACCES");
    expect(await kernel.fleetItem("workers", { item: "after" })).toMatchObject({ output: "set" });
  });

  test("reaches no further because of who sends: an item that is RED stays RED", async () => {
    const seen = async (sys: { self(): Promise<unknown> }) => JSON.stringify(await sys.self());
    const { kernel } = await booted({ programs: { seen } as never });
    await kernel.applyFleet({ fleet: fleetText({ agent: "seen" }), by });

    await kernel.sendFleetItem("workers", {
      input: {},
      by,
      label: { integrity: "untrusted", secrecy: "public" },
    });
    const [done] = await inState(kernel, "done", 1);

    const process = await kernel.show(done!.pid!);
    expect(process.labels).toMatchObject({ integrity: "untrusted" });
    expect(done!.label).toBe("untrusted/public");
  });

  test("is nothing where its row was not written by a person, and the audit says so (FLEET-PROOF-1)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "aos-log-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const signed = { auditFolder: folder, keyFile: join(folder, "key") };
    const first = await booted(signed);
    await first.kernel.applyFleet({ fleet: fleetText(), by });
    await first.kernel.pauseFleet("workers", { by });
    await send(first.kernel, {}, "one");
    await first.kernel.close();
    const forged = new DatabaseSync(first.file);
    forged.exec(
      `update fleet set paused = null, spec = replace(spec, '"capabilities":[]', '"capabilities":["tool:*:call"]')`,
    );
    forged.close();

    const { kernel } = await first.again();
    const report = await kernel.fleet("workers");
    const { findings } = await kernel.verify();
    await kernel.removeFleet("workers", { by, force: "discard" });

    expect(report).toMatchObject({ state: "held", waiting: 1 });
    expect(findings.map(({ message }) => message).join()).toContain("the stored fleet workers");
    expect(await kernel.list()).toEqual([]);
  });

  test("is of its tenant alone", async () => {
    const { kernel } = await booted({ tenants: { a: {}, b: {} } } as never);
    await kernel.applyFleet({ fleet: fleetText(), by, tenant: "a" });
    await kernel.sendFleetItem("workers", { input: {}, by, tenant: "a", key: "k" });

    await expect(kernel.fleet("workers", { tenant: "b" })).rejects.toMatchObject({
      code: "ENOENT",
    });
    expect(await kernel.fleets({ tenant: "b" })).toEqual([]);
    await kernel.applyFleet({ fleet: fleetText(), by, tenant: "b" });
    expect(await kernel.fleetItems("workers", { tenant: "b" })).toEqual([]);
    await until(
      async () => (await kernel.fleetItem("workers", { tenant: "a", item: "k" })).state === "done",
    );
    expect(await kernel.list({ tenant: "b" } as never)).toEqual([]);
  });
});
