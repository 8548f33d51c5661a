// Fleets as people use them: the command line on a real daemon.

import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FleetEventReport, FleetItemReport, FleetReport } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestProject, type TestProject } from "../project.ts";

const EXAMPLE = join(import.meta.dirname, "../../../docs/examples/fleet.yaml");

let project: TestProject;
beforeAll(() => {
  project = createTestProject();
});
afterAll(() => project.remove());

const json = async <T>(...words: string[]): Promise<T> =>
  (await project.aos(...words, "-o", "json")).json() as T;

const fleetFile = (name: string, more: object): string => {
  const file = join(project.folder, `${name}.fleet.yaml`);
  writeFileSync(file, JSON.stringify({ apiVersion: "aos/v1", kind: "Fleet", name, ...more }));
  return file;
};

test("the example of the documentation is created, given items, and waited for", async () => {
  const created = await project.aos("fleet", "create", EXAMPLE);
  const said = await project.aos("fleet", "send", "greeters", "Good morning", "--wait");
  const sent = await project.aos("fleet", "send", "greeters", "Hi", "--key", "k");
  const again = await project.aos("fleet", "send", "greeters", "Hi", "--key", "k");
  const waited = await project.aos("fleet", "wait", "greeters", "k");
  const twice = await project.aos("fleet", "create", EXAMPLE);

  expect({ code: created.code, stderr: twice.stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining("already exists"),
  });
  expect(said.stdout).toContain("Good morning");
  expect([sent.stdout, again.stdout]).toEqual(["k\n", "k\n"]);
  expect({ code: waited.code, stdout: waited.stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining("Hi"),
  });
  expect(await json<FleetItemReport[]>("fleet", "items", "greeters")).toHaveLength(2);
  expect((await project.aos("fleet", "ls")).stdout).toMatch(/greeters +hello +active/);
  expect(await json<FleetReport>("fleet", "show", "greeters")).toMatchObject({ done: 2, dead: 0 });
});

test("it is scaled, rolled, drained, resumed and removed, and its history says so", async () => {
  const rolled = fleetFile("greeters", {
    agent: join(project.folder, "fails.yaml"),
    roll: { first: 1, sample: 1 },
  });
  const of = (...words: string[]) =>
    json<FleetReport>("fleet", words[0]!, "greeters", ...words.slice(1));

  expect(await of("scale", "2")).toMatchObject({ min: 2, max: 2, replicas: 2 });
  expect(await of("scale", "--min", "0", "--max", "3")).toMatchObject({ min: 0, max: 3 });
  expect(await of("roll", rolled)).toMatchObject({ roll: { from: 1, to: 2 } });
  expect(await of("roll", "--rollback")).toMatchObject({ roll: null });
  expect(await of("pause", "--reason", "lunch")).toMatchObject({ state: "paused" });
  expect(await of("drain")).toMatchObject({ state: "drained" });
  const refused = await project.aos("fleet", "send", "greeters", "late");
  expect(refused.stderr).toContain("aos fleet resume greeters");
  expect(await of("resume")).toMatchObject({ state: "active" });
  const history = await json<FleetEventReport[]>("fleet", "history", "greeters");
  const happened = history.filter(({ by }) => by !== "kernel").map(({ what }) => what);
  expect(happened.toReversed()).toEqual([
    "created",
    "scaled",
    "scaled",
    "rolling",
    "rolled-back",
    "paused",
    "draining",
    "resumed",
  ]);
  expect((await project.aos("fleet", "rm", "greeters")).code).toBe(0);
  expect(await json("fleet", "ls")).toEqual([]);
});

test("an item that fails is dead after its attempts, is sent again, and keeps its fleet from removal", async () => {
  const restart = { attempts: 2, backoff: "1ms", maxBackoff: "1ms" };
  const file = fleetFile("failing", { agent: "./fails.yaml", restart });
  await project.aos("fleet", "apply", file);

  const ran = await project.aos("fleet", "send", "failing", "x", "--key", "k", "--wait");
  const dead = await json<FleetItemReport[]>("fleet", "items", "failing", "--state", "dead");
  await project.aos("fleet", "pause", "failing");
  const retried = await project.aos("fleet", "retry", "failing", "k");
  const kept = await project.aos("fleet", "rm", "failing");
  const removed = await json("fleet", "rm", "failing", "--force", "discard");

  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("attempt 2 of 2");
  expect(dead).toMatchObject([{ id: "k", attempt: 2 }]);
  expect(retried.code).toBe(0);
  expect(kept.stderr).toContain("--force discard");
  expect(removed).toEqual({ name: "failing", discarded: 1, stopped: 0 });
});

test("an executable that has changed since its version was written is not run (FLEET-ATTEMPTS-3)", async () => {
  const file = fleetFile("changing", { agent: "./fails.yaml", restart: { attempts: 1 } });
  await project.aos("fleet", "apply", file);
  appendFileSync(join(project.folder, "fails.mjs"), "\n// changed\n");

  await project.aos("fleet", "send", "changing", "x", "--key", "k");
  const waited = await project.aos("fleet", "wait", "changing", "k", "--timeout", "3s");
  const shown = await json<FleetReport>("fleet", "show", "changing");

  expect(waited.code).toBe(66);
  expect(shown).toMatchObject({ state: "held", waiting: 1, running: [] });
  expect(shown.reason).toContain("is not what it was");
});

test("bad words are refused with what to write", async () => {
  const said = async (...words: string[]) => (await project.aos("fleet", ...words)).stderr;

  expect(await said("show", "nobody")).toContain("unknown fleet nobody");
  expect(await said("scale", "nobody")).toContain("--min and --max");
  expect(await said("send", "nobody")).toContain("--input-json");
  expect(await said("roll", "nobody")).toContain("--promote");
  expect(await said("rm", "nobody", "--force", "all")).toContain("discard or stop");
});
