// A daemon's life on each database: started, killed in the middle, started again, asked, answered.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { tryPostgres } from "../helpers/postgres.ts";
import { killDaemon } from "./home.ts";
import { addAgent, createTestProject, type TestProject } from "./project.ts";

const server = await tryPostgres();
afterAll(async () => {
  if ("stop" in server) await server.stop();
});

const CLERK = `
for (;;) {
  const { result } = await call("receive", { type: "invoke" });
  await call("send", { to: "operator", body: { heard: result.body.input }, replyTo: result.id });
}
`;

const databases: readonly [name: string, env: () => Promise<Record<string, string>>][] = [
  ["SQLite", async () => ({})],
  [
    "missing" in server ? `PostgreSQL (${server.missing})` : "PostgreSQL",
    async () => ({
      AOS_DATABASE_URL: "missing" in server ? "" : (await server.createDatabase()).url,
    }),
  ],
];

const projectWith = async (env: Promise<Record<string, string>>): Promise<TestProject> => {
  const project = createTestProject(await env);
  addAgent(project.folder, "clerk", CLERK);
  return project;
};

describe.each(databases)("%s", (name, env) => {
  test.skipIf(name.startsWith("PostgreSQL (") && process.env["CI"] !== "true")(
    "carries a run through up, spawn, kill -9, up, invoke, approve, wait, down, up, invoke",
    async () => {
      const project = await projectWith(env());
      const { home } = project;
      try {
        await home.aos("up", "-d");
        const clerk = await project.spawned("clerk.yaml");
        const asks = await project.spawned("asks.yaml");
        expect((await home.aos("invoke", clerk, "one", "-o", "json")).json()).toMatchObject({
          output: { heard: "one" },
        });
        await untilAsked(project, asks);
        await killDaemon(home.folder);

        const up = await home.aos("up", "-d");
        expect({ code: up.code, stderr: up.stderr }).toMatchObject({ code: 0 });
        const invoked = await home.aos("invoke", clerk, "two", "--timeout", "120s", "-o", "json");
        expect(invoked.json()).toMatchObject({ output: { heard: "two" } });
        const id = await untilAsked(project, asks);
        expect((await home.aos("approve", id, "yes")).code).toBe(0);
        const waited = await home.aos("wait", asks, "--timeout", "120s", "-o", "json");
        expect(waited.json()).toMatchObject({ state: "completed", output: "yes" });

        expect((await home.aos("down")).code).toBe(0);
        const upAgain = await home.aos("up", "-d");
        expect({ code: upAgain.code, stderr: upAgain.stderr }).toMatchObject({ code: 0 });
        const again = await home.aos("invoke", clerk, "three", "--timeout", "120s", "-o", "json");
        expect(again.json()).toMatchObject({ output: { heard: "three" } });
        expect((await home.aos("audit", "verify", "-o", "json")).json()).toMatchObject({
          ok: true,
        });
        await home.aos("down");
        const log = readFileSync(join(home.folder, "daemon.log"), "utf8");
        expect(log).not.toContain("after calling end");
        expect(log).not.toMatch(/"level":"?(error|50)/);
      } finally {
        await project.remove();
      }
    },
    240_000,
  );
});

/** The id of what it asks. */
async function untilAsked({ home }: TestProject, pid: string): Promise<string> {
  for (const since = Date.now(); Date.now() - since < 120_000;) {
    const open = (await home.aos("approvals", "-o", "json")).json() as {
      id: string;
      pid: string;
    }[];
    const mine = open.find((question) => question.pid === pid);
    if (mine !== undefined) return mine.id;
  }
  throw new Error(`${pid} did not ask`);
}
