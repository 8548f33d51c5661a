// Calls of contract.deep.test.ts: the operations about goals, roles and schedules, and those that search, tidy and
// forget.

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
}

export async function askOfMemory(far: FarSide): Promise<void> {
  await far.told("searchRuns", { query: "hi", limit: 3 });
  for (const text of ["The ferry leaves at nine.", "The ferry leaves at ten."])
    await far.told("addFact", { text, agent: "ferryman" });
  const { id } = await far.told<{ id: string }>("tidyMemory", { agent: "ferryman", maxRows: 1 });
  await far.told("untidyMemory", { id });
  await far.told("forgetMemory", { about: "The ferry leaves at ten", dryRun: true });
}
