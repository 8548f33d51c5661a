// Calls of contract.deep.test.ts: the operations about goals, roles, schedules and fleets, and those that search, tidy and
// forget.

import { signedHeaders } from "../../helpers/webhook.ts";
import { echoEval } from "../echo-eval.ts";
import type { FarSide } from "./far-side.ts";

export async function askForWork(far: FarSide): Promise<void> {
  await far.told("roles");
  const { text } = await far.told<{ text: string }>("role", { name: "writer" });
  await far.told("checkRole", { role: { file: "writer.yaml", text } });
  const { pid } = await far.told<{ pid: string }>("submitGoal", { goal: "a timetable" });
  await far.call("wait", { pid, timeoutMs: 120_000 }); // no model plans it
  await far.told("goals", { limit: 3 });
  await far.told("goal", { pid });
  await far.call("watchGoal", { pid });
  const again = await far.told<{ pid: string }>("retryGoal", { pid });
  await far.call("wait", { pid: again.pid, timeoutMs: 120_000 });

  const evaluation = await far.told<{ pid: string }>("startEval", { file: echoEval });
  await far.call("wait", { pid: evaluation.pid, timeoutMs: 120_000 });
  await far.told("evals", { limit: 3 });
  await far.told("eval", { pid: evaluation.pid });
  const resumed = await far.told<{ pid: string }>("resumeEval", { pid: evaluation.pid });
  await far.call("wait", { pid: resumed.pid, timeoutMs: 120_000 });
  await far.told("compareEvals", { pid: evaluation.pid, other: resumed.pid });
  await far.told("cancelEval", { pid: resumed.pid });
  await far.told("evalDataset", { limit: 3 });
  const steps = [
    {
      id: "said",
      tool: "echo",
      args: { text: "hi" },
      undo: { tool: "echo", args: { text: "no" } },
    },
    { id: "go", wait: { signal: "go" } },
  ];
  const flow = await far.told<{ pid: string }>("spawn", {
    manifest: {
      file: "flow.yaml",
      text: JSON.stringify({
        apiVersion: "aos/v1",
        kind: "Workflow",
        name: "flow",
        capabilities: ["tool:echo:call"],
        signals: { go: {} },
        queries: { said: "{{steps.said}}" },
        steps,
      }),
    },
  });
  await far.told("workflows", { limit: 3 });
  await far.told("workflow", { pid: flow.pid });
  await far.told("queryWorkflow", { pid: flow.pid, query: "said" });
  await far.told("signalWorkflow", { pid: flow.pid, signal: "go" });
  await far.call("wait", { pid: flow.pid, timeoutMs: 120_000 });
  const { pid: taken } = await far.told<{ pid: string }>("takeBack", { pid: flow.pid });
  await far.call("wait", { pid: taken, timeoutMs: 120_000 });
  await far.call("takeBack", { pid: flow.pid }); // once

  const name = "yearly";
  const schedule = {
    file: "yearly.yaml",
    text: `apiVersion: aos/v1\nkind: Schedule\nname: ${name}\ncron: "0 3 1 1 *"\nagent: door\ninput: hi\n`,
  };
  await far.told("createSchedule", { schedule });
  await far.told("schedules");
  await far.told("schedule", { name });
  await far.told("editSchedule", { name, schedule });
  await far.told("runSchedule", { name, key: "once" });
  await far.told("scheduleTicks", { name, limit: 3 });
  await far.told("pauseSchedule", { name, reason: "to try" });
  await far.told("resumeSchedule", { name });
  await far.told("removeSchedule", { name });

  await far.told("notifyTargets");
  await far.told("notifications", { limit: 3, state: "dead" });
  await far.told("testNotify", { name: "ops" });
  await far.call("testNotify", { name: "nobody" });
  await far.told("retryNotification", { id: (await deadNotification(far)).id });
  await far.call("retryNotification", { id: "ntf_none" });
  await deliver(far);
}

/** Of a run that failed: the other side refuses all. */
async function deadNotification(far: FarSide): Promise<{ id: string }> {
  for (;;) {
    const [dead] = await far.told<{ id: string }[]>("notifications", { limit: 3, state: "dead" });
    if (dead !== undefined) return dead;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A schedule that a webhook starts, at both of its addresses. */
async function deliver(far: FarSide): Promise<void> {
  const key = "the key of this webhook";
  const bindings = [{ kind: "service", service: "hook:push" }];
  await far.told("setSecret", { name: "HOOK_KEY", value: key, bindings });
  const text =
    "apiVersion: aos/v1\nkind: Schedule\nname: push\non: { webhook: { secret: HOOK_KEY } }\nagent: door\n";
  await far.told("createSchedule", { schedule: { file: "push.yaml", text } });
  for (const [path, id] of [
    ["/hooks/push", "one"],
    ["/hooks/default/push", "two"],
  ] as const) {
    const headers = signedHeaders({ id, key, body: "{}" });
    const got = await far.ask("POST", path, { token: null, body: "{}", headers });
    if (got.status !== 202) throw new Error(`${path}: ${got.status} ${got.text}`);
    await far.ask("POST", path, { token: null, body: "{}", isWrong: true }); // not signed
  }
}

export async function askOfFleets(far: FarSide): Promise<void> {
  const name = "doors";
  const textOf = (capabilities: string) => ({
    file: "doors.yaml",
    text: `apiVersion: aos/v1\nkind: Fleet\nname: ${name}\nagent: door\nrestart: { attempts: 1 }\ncapabilities: [${capabilities}]\nschema: { type: string }\n`,
  });
  await far.told("applyFleet", { fleet: textOf(""), mustBeNew: true });
  await far.told("fleets");
  await far.told("pauseFleet", { name, reason: "to try" });
  await far.told("sendFleetItem", { name, input: "hi", key: "one", label: "untrusted/public" });
  await far.told("drainFleet", { name, reason: "to try" });
  await far.told("resumeFleet", { name });
  await far.told("scaleFleet", { name, min: 0, max: 2 });
  await far.told("rollFleet", { name, fleet: textOf('"message:*:receive"') });
  await far.told("fleet", { name });
  await far.told("decideFleetRoll", { name, decision: "rollback" });
  await far.told("fleetItems", { name, limit: 3 });
  await far.told("fleetItem", { name, item: "one" });
  await far.call("retryFleetItem", { name, item: "one" }); // it may not be dead
  await far.told("fleetEvents", { name, limit: 3 });
  await far.told("removeFleet", { name, force: "stop" });
}

export async function askOfMemory(far: FarSide): Promise<void> {
  await far.told("searchRuns", { query: "hi", limit: 3 });
  for (const text of ["The ferry leaves at nine.", "The ferry leaves at ten."])
    await far.told("addFact", { text, agent: "ferryman" });
  const { id } = await far.told<{ id: string }>("tidyMemory", { agent: "ferryman", maxRows: 1 });
  await far.told("untidyMemory", { id });
  await far.told("forgetMemory", { about: "The ferry leaves at ten", dryRun: true });
}
