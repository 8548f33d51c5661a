// `aos mcp serve`: the daemon as an MCP server on standard input and output; and the MCP inspector, a client
// of somebody else's, over that and over HTTP.

import { spawn, type ChildProcess } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { peerCommand } from "../../peers/peer.ts";
import { envelope } from "./mcp-caller.ts";
import { AOS, createTestHome, finish, ROOT, type TestHome } from "../home.ts";

let home: TestHome;
let project: string;
beforeAll(async () => {
  home = createTestHome({ AOS_HTTP: "127.0.0.1:0" });
  project = realpathSync(mkdtempSync(join(tmpdir(), "aos-mcp-project-")));
  const agents = join(project, ".agents/agents");
  mkdirSync(agents, { recursive: true });
  cpSync(join(ROOT, "examples/hello/agent.yaml"), join(agents, "greeter.yaml"));
  cpSync(join(ROOT, "examples/hello/hello.yaml"), join(agents, "hello.yaml"));
  // One that goes on until it is ended.
  const greeter = readFileSync(join(agents, "greeter.yaml"), "utf8");
  writeFileSync(
    join(agents, "stays.yaml"),
    `${greeter.replace("name: hello", "name: stays")}  - message:*:receive\npersistent: true\n`,
  );
  await home.aosWith({ cwd: project }, "trust", "--yes");
});
afterAll(async () => {
  await home.remove();
  rmSync(project, { recursive: true, force: true, maxRetries: 20 });
});

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly progress?: number };
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

/** One that was started, and what it has said; a line that is no JSON fails the test. */
function serve(env: object = {}): {
  child: ChildProcess;
  exit: Promise<number | null>;
  said: Message[];
  send: (message: object) => void;
  answerTo: (id: number) => Promise<Message>;
} {
  const child = spawn(AOS, ["mcp", "serve"], { cwd: project, env: { ...home.env, ...env } });
  onTestFinished(() => void child.kill());
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const said: Message[] = [];
  createInterface({ input: child.stdout }).on("line", (line) =>
    said.push(JSON.parse(line) as Message),
  );
  return {
    child,
    exit,
    said,
    send: (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    async answerTo(id) {
      const found = () => said.find((message) => message.id === id && message.method === undefined);
      await expect.poll(found, { timeout: 120_000 }).toBeDefined();
      return found()!;
    },
  };
}

const clientInfo = { name: "test", version: "1" };
const hello = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};
const modern = envelope();
const calls = (id: number, name: string, args: object, meta: object = {}) => ({
  id,
  method: "tools/call",
  params: { name, arguments: args, _meta: meta },
});

test("it starts the daemon, knows the agents of the folder, and ends with its input", async () => {
  const { child, exit, send, answerTo, said } = serve();

  send(hello);
  const greeted = await answerTo(1);
  send({ method: "notifications/initialized" });
  send(calls(2, "list_agents", {}));
  send(calls(3, "submit_goal", { agent: "greeter", goal: "hi" }, { progressToken: "p" }));
  const [listed, done] = [await answerTo(2), await answerTo(3)];
  child.stdin!.end();

  expect(greeted.result).toMatchObject({ protocolVersion: "2025-11-25" });
  expect(listed.result?.["structuredContent"]).toMatchObject({
    agents: [{ name: "greeter" }, { name: "stays" }],
  });
  expect(done.result?.["structuredContent"]).toMatchObject({ state: "completed", exitCode: 0 });
  expect(said.filter(({ method }) => method === "notifications/progress").length).toBeGreaterThan(
    0,
  );
  expect(await exit).toBe(0);
});

test("2026-07-28 is spoken too, and a notification cancels the run that was waited for", async () => {
  const { send, answerTo } = serve();
  const lastRun = async (id: number) => {
    send(calls(id, "list_runs", { limit: 1 }, modern));
    const { result } = await answerTo(id);
    const { structuredContent } = result as {
      structuredContent: { runs: { pid: string; agent: string }[] };
    };
    return structuredContent.runs[0]!;
  };

  send(calls(1, "submit_goal", { agent: "stays", goal: "hi", waitSeconds: 600 }, modern));
  let next = 10;
  await expect.poll(async () => (await lastRun(next++)).agent, { timeout: 120_000 }).toBe("stays");
  const { pid } = await lastRun(next++);
  send({ method: "notifications/cancelled", params: { requestId: 1, _meta: modern } });
  send(calls(2, "get_agent_status", { pid, waitSeconds: 60 }, modern));
  const { result } = await answerTo(2);

  expect(result).toMatchObject({ resultType: "complete" });
  expect(result?.["structuredContent"]).toMatchObject({
    pid,
    endedAt: expect.any(String) as string,
  });
});

test("to go away ends no run: whoever starts it again finds it by its pid", async () => {
  const first = serve();
  first.send(calls(1, "submit_goal", { agent: "stays", goal: "hi", waitSeconds: 600 }, modern));
  const staying = async () => {
    const runs = (await home.aos("ps", "-o", "json")).json() as { pid: string; agent: string }[];
    return runs.find(({ agent }) => agent === "stays")?.pid;
  };
  await expect.poll(staying, { timeout: 120_000 }).toBeDefined();
  const pid = (await staying())!;

  first.child.stdin!.end();
  await first.exit;
  const second = serve();
  second.send(calls(1, "cancel_agent", { pid }, modern));
  const cancelled = await second.answerTo(1);

  expect(cancelled.result?.["structuredContent"]).toMatchObject({ pid, signal: "SIGTERM" });
  await home.aos("wait", pid);
});

test("with an address and a token it is one of a daemon elsewhere, with that token's power", async () => {
  const { url } = (await home.aos("status", "-o", "json")).json() as { url: string };
  const made = (await home.aos("token", "create", "--role", "viewer", "-o", "json")).json();
  const { token } = made as { token: string };
  const { send, answerTo } = serve({ AOS_URL: url, AOS_TOKEN: token });

  send(hello);
  await answerTo(1);
  send(calls(2, "submit_goal", { agent: "greeter", goal: "hi" }));
  send(calls(3, "list_agents", {}));
  const refused = await answerTo(2);
  const listed = await answerTo(3);

  expect(JSON.stringify(refused.result)).toMatch(/EACCES.*role operator/);
  expect(listed.result?.["structuredContent"]).toEqual({ agents: [] });
});

test("a token that is none is said so, with nothing on standard output", async () => {
  const { url } = (await home.aos("status", "-o", "json")).json() as { url: string };
  const env = { AOS_URL: url, AOS_TOKEN: "aost_none" };

  const ran = await home.aosWith({ env }, "mcp", "serve");

  expect(ran.code).not.toBe(0);
  expect(ran.stdout).toBe("");
  expect(ran.stderr).toMatch(/token/);
});

test("a daemon that stops ends it", async () => {
  const { exit, send, answerTo } = serve();
  send(hello);
  await answerTo(1);

  await home.aos("down");

  expect(await exit).toBe(0);
  await home.aos("up", "-d");
});

const inspector = peerCommand("mcp-inspector");

test.skipIf(inspector === undefined).each(["legacy", "modern"])(
  "mcp-inspector --strict finds nothing to say, over HTTP and over stdio: %s",
  async (era) => {
    const { url } = (await home.aos("status", "-o", "json")).json() as { url: string };
    const made = (await home.aos("token", "create", "--role", "operator", "-o", "json")).json();
    const { token } = made as { token: string };
    const overHttp = [`${url}/mcp`, "--transport", "http"];
    const header = ["--header", `authorization: Bearer ${token}`];
    const overStdio = ["-e", `AOS_HOME=${home.folder}`, AOS, "mcp", "serve"];
    const inspect = (target: string[], ...asked: string[]) => {
      const words = [...target, "--protocol-era", era, ...asked, "--format", "json", "-q"];
      return finish(spawn(inspector!, ["--cli", ...words], { cwd: project, env: home.env }));
    };
    const list = ["--method", "tools/list", "--strict"];
    const submit = ["--method", "tools/call", "--tool-name", "submit_goal"];
    const goal = ["--tool-arg", "agent=greeter", "--tool-arg", "goal=hi"];

    const [http, stdio, done] = await Promise.all([
      inspect([...overHttp, ...header], ...list),
      inspect(overStdio, ...list),
      inspect(overStdio, ...submit, ...goal),
    ]);

    for (const ran of [http, stdio]) {
      expect(ran.code).toBe(0);
      expect(ran.stderr).not.toMatch(/warning|error/i);
      expect(ran.stdout).toContain("submit_goal");
      expect(ran.stdout).not.toMatch(/"severity"/);
    }
    expect(done.json()).toMatchObject({ result: { structuredContent: { state: "completed" } } });
  },
);
