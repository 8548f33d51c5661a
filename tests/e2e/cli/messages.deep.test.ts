// `aos msg tail` and `aos pipe`, typed; and CloudEvents as they come in and go out.

import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addAgent, createTestProject, type TestProject } from "../project.ts";

let project: TestProject;
beforeAll(async () => {
  project = createTestProject();
  const agents = join(project.home.folder, "agents");
  addAgent(
    agents,
    "waits",
    `for (;;) if ((await call("receive", {})).result.body.last) break; say("exit", { code: 0 });`,
  );
  addAgent(agents, "broken", `say("exit", { code: 3, output: "half" });`);
  addAgent(agents, "echoes", `say("exit", { code: 0, output: { got: input } });`);
  await project.aos("up", "-d");
});
afterAll(() => project.remove());

test("a CloudEvent becomes an untrusted message, and msg tail prints its receipt as a CloudEvent until the process ends", async () => {
  const pid = await project.spawned("waits");
  const tail = project.home.start("msg", "tail", pid, "-o", "json");
  const printed: string[] = [];
  createInterface({ input: tail.stdout! }).on("line", (line) => printed.push(line));
  const ended = once(tail, "close");
  const send = (id: number, data: { last: boolean }) =>
    project.home.client.sendCloudEvent({
      pid,
      specversion: "1.0",
      source: "/shop",
      type: "order",
      id: String(id),
      data,
    });

  // A tail tells of what comes after its begin, which nobody is told.
  for (let id = 0; printed.length === 0; id++) {
    await send(id, { last: false });
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await send(-1, { last: true });
  const [code] = (await ended) as [number];

  expect(code).toBe(0);
  const [first, ...rest] = printed.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({
    specversion: "1.0",
    type: "aos.message.received",
    data: { last: false },
  });
  expect(rest.at(-1)).toMatchObject({ data: { last: true } });
  expect(first!["source"]).toContain(pid);
  const { labels } = await project.home.client.show({ pid });
  expect(labels).toMatchObject({ integrity: "untrusted" });
});

test("a stage that fails ends a pipe with its exit code; with --no-pipefail the next one gets what it left", async () => {
  const [failed, went] = await Promise.all([
    project.aos("pipe", "broken", "echoes"),
    project.aos("pipe", "broken", "echoes", "--no-pipefail", "-o", "json"),
  ]);

  expect(failed.code).toBe(3);
  expect(went.code).toBe(0);
  expect(went.stdout).toContain("half");
});
