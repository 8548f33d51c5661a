// A daemon elsewhere: AOS_URL and AOS_TOKEN in place of the socket, over real TCP.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createTestHome, daemonPid, type TestHome } from "../home.ts";
import { createTestProject, type TestProject } from "../project.ts";

let project: TestProject;
/** A caller with a home of its own, in which nothing runs. */
let caller: TestHome;
let url: string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  project = createTestProject({ AOS_HTTP: "127.0.0.1:0" });
  caller = createTestHome();
  await project.aos("up", "-d");
  ({ url } = (await project.aos("status", "-o", "json")).json() as { url: string });
  for (const role of ["operator", "approver", "viewer"])
    tokens[role] = (await project.aos("token", "create", "--role", role)).stdout.trim();
  await project.aos("tenant", "add", "research");
  const tenant = ["--role", "operator", "--tenant", "research"];
  tokens["tenant"] = (await project.aos("token", "create", ...tenant)).stdout.trim();
});
afterAll(async () => {
  await caller.remove();
  await project.remove();
});

const as = (who: string, ...words: string[]) =>
  caller.aosWith({ cwd: project.folder, env: { AOS_URL: url, AOS_TOKEN: tokens[who] } }, ...words);

test("an operator does all there, and no daemon is started here", async () => {
  const spawned = await as("operator", "spawn", "listener");
  const pid = spawned.stdout.trim();
  const listed = await as("operator", "ps", "-o", "name");
  await as("operator", "send", pid, "go on");
  const waited = await as("operator", "wait", pid, "-o", "json");

  expect(pid).toMatch(/^agt_/);
  expect(listed.stdout).toContain(pid);
  expect(waited.json()).toMatchObject({ pid, state: "completed" });
  expect(daemonPid(caller.folder)).toBeUndefined();
});

test("a viewer sees, and what more it tries is refused with the role that it needs", async () => {
  const seen = await as("viewer", "ps", "-a");
  const spawned = await as("viewer", "spawn", "listener", "-o", "json");

  expect(seen.code).toBe(0);
  expect(spawned.code).toBe(96);
  expect(spawned.error()).toMatchObject({
    code: "EACCES",
    message: expect.stringContaining("operator"),
    hint: expect.stringMatching(/./),
  });
});

test("a tenant's caller sends no path of this machine (REMOTE-PATHS-1), and one that needs one is told (REMOTE-PATHS-2)", async () => {
  const tools = await as("tenant", "tool", "ls", "-o", "name");
  const copied = await as("tenant", "spawn", "listener", "--cow", "-o", "json");
  const tested = await as("tenant", "test", ".");

  expect(tools.stdout).toContain("file.read\n");
  expect(copied.error()).toMatchObject({ code: "EINVAL", message: expect.stringContaining(url) });
  expect(tested.stderr).toContain("uses a path of this machine");
});

test("status shows no key of the page, and up is refused", async () => {
  const status = await as("viewer", "status");
  const up = await as("operator", "up", "-d");

  expect(status.stdout).toContain(url);
  expect(status.stdout).not.toContain("#key=");
  expect(up).toMatchObject({ code: 1, stderr: expect.stringContaining("unset AOS_URL") });
});

test.each([
  [{ AOS_URL: "localhost:4040", AOS_TOKEN: "aost_x" }, /AOS_URL is not the address/],
  [{ AOS_URL: "ftp://127.0.0.1", AOS_TOKEN: "aost_x" }, /AOS_URL is not the address/],
  [{ AOS_URL: "http://me:secret@127.0.0.1", AOS_TOKEN: "aost_x" }, /AOS_URL is not the address/],
  [
    { AOS_URL: "http://127.0.0.1:1", AOS_TOKEN: "" },
    /AOS_TOKEN is not set\nhint: .*aos token create/,
  ],
  [{ AOS_URL: "http://127.0.0.1:1", AOS_TOKEN: "a b" }, /AOS_TOKEN is not a token/],
  [
    { AOS_URL: "http://127.0.0.1:1", AOS_TOKEN: "aost_x" },
    /no daemon is running on http:\/\/127.0.0.1:1/,
  ],
])("with %j no daemon is started, and the error says why", async (env, said) => {
  const ran = await caller.aosWith({ env }, "ps");

  expect(ran.stderr).toMatch(said);
  expect(ran.code).not.toBe(0);
  expect(daemonPid(caller.folder)).toBeUndefined();
});

test("a bad token is said to be one, and the token goes nowhere else (DAEMON-FETCH-2)", async () => {
  const met: string[] = [];
  const elsewhere = createServer((request, response) => {
    met.push(request.headers.authorization ?? "none");
    response.end("[]");
  });
  const redirecting = createServer((_, response) => {
    const { port } = elsewhere.address() as AddressInfo;
    response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end();
  });
  for (const server of [elsewhere, redirecting]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
  }
  const { port } = redirecting.address() as AddressInfo;

  const bad = await caller.aosWith({ env: { AOS_URL: url, AOS_TOKEN: "aost_none" } }, "ps");
  const sent = await caller.aosWith(
    { env: { AOS_URL: `http://127.0.0.1:${port}`, AOS_TOKEN: "aost_none" } },
    "ps",
  );

  expect(bad.stderr).toMatch(/the token is unknown, revoked or expired/);
  expect(sent.code).not.toBe(0);
  expect(met).toEqual([]);
});

test("down stops it there, and returns when it answers no more", async () => {
  const pid = daemonPid(project.home.folder);
  const refused = await as("viewer", "down");
  const down = await as("operator", "down", "-o", "json");
  const after = await as("operator", "status");

  expect(refused.code).toBe(96);
  expect(down.json()).toEqual({ stopped: true, pid });
  expect(after.stderr).toContain("no daemon is running");
});
