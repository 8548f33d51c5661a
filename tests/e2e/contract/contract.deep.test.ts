// The daemon through `prism proxy --errors`: over all operations of its own document, with requests that go well
// and requests that do not, no answer is off its contract.
//
// The last test holds that none was left out.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Question } from "@aos/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationAt } from "../../helpers/answer-check.ts";
import { FarSide, OffContract } from "./far-side.ts";
import { noPrism } from "./prism.ts";
import { askForWork, askOfFleets, askOfMemory } from "./work-calls.ts";

const agent = (name: string, more: string) => ({
  file: `${name}.yaml`,
  text: `apiVersion: aos/v1\nkind: Agent\nname: ${name}\n${more}\n`,
});
const greeter = agent(
  "greeter",
  `model: scripted/greeter
tools: [echo, file.write]
capabilities: ["model:scripted/*:infer", "tool:*:call", "file:/work/**:read,write"]`,
);
/** The same, by a name of the home: models of OpenAI's API are. */
const door = {
  ...greeter,
  file: "door.yaml",
  text: greeter.text.replace("name: greeter", "name: door"),
};
const lastingAgent = agent(
  "lasting",
  `model: scripted/lasting
persistent: true
capabilities: ["model:scripted/*:infer", "message:*:receive,send"]`,
);
/** What tests/e2e/project.ts has put there. */
const program = (name: string) =>
  agent(name, `command: [${JSON.stringify(process.execPath)}, ${name}.mjs]`);

const files: Record<string, string> = {
  "greeter.yaml": `turns:
  - call: [{ tool: echo, args: { text: "{{input}}" } }]
  - call: [{ tool: file.write, args: { path: /work/note.txt, text: done } }]
  - say: done
`,
  "lasting.yaml": "turns:\n  - say: ready\n  - say: again\n",
  ".agents/skills/release/SKILL.md":
    "---\nname: release\ndescription: Makes a release.\n---\n# Steps\n",
};

const POLICY = { file: "p.yaml", text: 'version: 1\nrules:\n  - { id: all, allow: "*" }\n' };
const CASES = `cases:\n  - { name: echo, given: { tool: echo, args: {} }, expect: allow }\n`;

describe.skipIf(noPrism)("through prism", () => {
  let far: FarSide;
  let folder: string;
  /** One that has ended, one that waits for a message, one that lives on. */
  let ended: string;
  let waiting: string;
  let lasting: string;

  const started = async (args: Record<string, unknown>) =>
    (await far.told<{ pid: string }>("spawn", args)).pid;
  const run = (name: string) => started({ manifest: program(name), folder });

  beforeAll(async () => {
    far = await FarSide.open();
    ({ folder } = far.project);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const { folder: home } = far.project.home;
    mkdirSync(join(home, "agents"), { recursive: true });
    writeFileSync(join(home, "agents", door.file), door.text);
    const workspace = { folder, isCow: true };
    ended = await started({ manifest: greeter, folder, workspace, input: "hi" });
    waiting = await started({ agent: "listener", cwd: folder });
    lasting = await started({ manifest: lastingAgent, folder });
    await far.call("wait", { pid: ended, timeoutMs: 120_000 });
  });
  afterAll(() => far?.close());

  test("prism looks: an answer that its document does not allow is not passed on", async () => {
    const asking = far.ask("GET", "/healthz", { isWrong: true });

    await expect(asking).rejects.toBeInstanceOf(OffContract);
  });

  test("processes: seen, told, asked, run again", async () => {
    const { digest } = await far.told<{ digest: string }>("lookAtFolder", { folder });
    await far.told("trustFolder", { folder, digest });
    await far.told("trustedFolders");
    await far.told("agents", { cwd: folder });
    await far.told("list", { limit: 1, states: "completed,waiting,running,pending" });
    const { headers } = await far.call("show", { pid: ended });
    const etag = headers.get("etag")!;
    const same = await far.call("show", { pid: ended }, { headers: { "if-none-match": etag } });
    expect(same.status).toBe(304);
    await far.told("journal", { pid: ended, limit: 2 });
    for (const name of ["why", "causes", "moment", "power"] as const)
      await far.told(name, { pid: ended });
    await far.told("manifest", { pid: ended });
    await far.told("context", { pid: ended });
    await far.told("exportContext", { pid: ended });
    await far.told("replay", { pid: ended });
    await far.told("estimateFork", { pid: ended });
    await far.told("estimateReplay", { pid: ended });
    await far.told("fork", { pid: ended });
    await far.told("nice", { pid: waiting, lane: "low" });
    await far.told("signal", { pid: waiting, signal: "SIGUSR2" });
    await far.told("send", { pid: waiting, body: { go: 1 } });
    await far.told("wait", { pid: waiting });
    await far.told("invoke", { pid: lasting, input: "more", timeoutMs: 60_000 });
    await far.told("compactContext", { pid: lasting });
    const failed = await run("fails");
    await far.told("wait", { pid: failed });
    await far.told("coreDump", { pid: failed });
    await far.told("why", { pid: failed });
    await far.told("retry", { pid: failed });
    await far.told("causes", { pid: failed });
  });

  test("each line and each event of a stream fits the contract", async () => {
    for (const name of ["watch", "attach"] as const) {
      const { headers, text } = await far.call(name, { pid: ended });
      expect(headers.get("content-type")).toBe("application/x-ndjson");
      expect(text.split("\n").length).toBeGreaterThan(3);
    }
    const { text } = await far.ask("GET", `/api/v1/processes/${ended}/events`);
    const last = text
      .match(/^id: (.*)$/gm)!
      .at(-1)!
      .slice("id: ".length);
    const over = await far.ask("GET", `/api/v1/processes/${ended}/events?after=${last}`);
    expect(over.status).toBe(204);

    // A stream of all processes ends with the token that it was opened with.
    const { id, token } = await far.told<{ id: string; token: string }>("createAccessToken", {
      role: "viewer",
    });
    const following = far.ask("GET", `/api/v1/events?after=${ended}:0`, { token });
    const pid = await started({ manifest: greeter, folder, input: "seen" });
    await far.told("wait", { pid });
    await far.told("revokeAccessToken", { id });
    expect((await following).headers.get("content-type")).toBe("text/event-stream");
  });

  test("questions are asked, answered and withdrawn", async () => {
    const waitForQuestion = async (pid: string) => {
      for (;;) {
        const all = await far.told<Question[]>("questions");
        const found = all.find((one) => one.pid === pid);
        if (found !== undefined) return found;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const first = await waitForQuestion(await run("asks"));
    await far.told("answer", { id: first.id, choice: "yes", text: "fine" });
    const second = await waitForQuestion(await run("asks"));
    await far.told("cancelQuestion", { id: second.id });
  });

  test("capabilities, tokens, rules and secrets fit the contract", async () => {
    const { handle } = await far.told<{ handle: string }>("grant", {
      pid: lasting,
      capabilities: ["tool:echo:call"],
      reason: "to try",
    });
    await far.told("revoke", { id: handle });
    await far.told("power", { agent: "greeter" });
    await far.told("suggest", { pid: ended, widen: "folder" });
    await far.told("check", { pid: lasting, call: "exec", args: { tool: "echo", args: {} } });
    const { token } = await far.told<{ token: string }>("mintToken", {
      capabilities: ["file:/data/**:read"],
    });
    await far.told("verifyToken", { token });
    await far.told("attenuateToken", { token, capabilities: ["file:/data/a/**:read"] });
    await far.told("policy");
    await far.told("checkPolicy", { files: [POLICY, { file: "bad.yaml", text: "rules: [" }] });
    await far.told("testPolicy", { policy: POLICY, tests: { file: "t.yaml", text: CASES } });
    await far.told("backtestPolicy", { policy: POLICY, sinceMs: 3_600_000 });
    await far.told("reloadPolicy");
    const header = { kind: "header", origin: "https://api.example.com", header: "x-key" };
    await far.told("setSecret", { name: "KEY", value: "long enough", bindings: [header] });
    await far.told("secrets");
    await far.told("removeSecret", { name: "KEY" });
    await far.told("ledger", { limit: 10 });
    await far.told("verify");
    await far.told("collect", { dryRun: true });
  });

  test("tools, MCP servers, skills and workspaces fit the contract", async () => {
    await far.told("tools", { search: "read a file" });
    await far.told("tools", { cwd: folder });
    await far.told("tool", { name: "echo" });
    await far.told("callTool", { name: "echo", args: { text: "hi" } });
    await far.told("agents", { cwd: folder });
    await far.told("skills", { cwd: folder });
    await far.told("deadLetters", { limit: 1 });
    await far.told("storeReport");
    await far.told("acceptStore", {});
    await far.told("folderProblems", { cwd: folder, folder });
    await far.told("skill", { name: "release", cwd: folder });
    await far.told("checkSkill", { folder: join(folder, ".agents/skills/release") });
    for (const name of ["drafted", "drafted-again"]) {
      await far.told("draftSkill", { pid: ended, name });
      await far.told("skillDraft", { name });
    }
    await far.told("skillDrafts");
    await far.told("approveSkillDraft", { name: "drafted" });
    await far.told("rejectSkillDraft", { name: "drafted-again" });
    await far.told("changes", { pid: ended, text: "true" });
    await far.told("commit", { pid: ended, force: true });
    await far.told("undo", { pid: ended, force: true });
    await far.told("addMcpServer", { name: "every", command: ["mcp-server-everything"] });
    await far.told("testMcpServer", { name: "every" });
    await far.told("pinMcpServer", { name: "every" });
    await far.told("mcpServers");
    await far.told("removeMcpServer", { name: "every" });
  });

  test("models, money, queues and tests of agents fit the contract", async () => {
    await far.told("addProvider", { name: "local", type: "ollama" });
    await far.told("models", { all: "true" });
    await far.told("testModel", { model: "scripted/none", timeoutMs: 10_000 });
    for (const by of ["agent", "tree", "model", "tool", "tenant", "day"])
      await far.told("cost", { by });
    await far.told("estimateSpawn", { manifest: greeter, folder });
    await far.told("queue");
    await far.told("deadLetters", { pid: ended, limit: 3 });
    await far.told("searchMemory", { query: "ferry", agent: "greeter", limit: 3 });
    await far.told("memory", { pid: ended, path: "/mem/shared" });
    const made = await far.told<{ text: string; script: string }>("recordTest", {
      pid: ended,
      name: "greets",
      folder: join(folder, ".agents/tests"),
    });
    mkdirSync(join(folder, ".agents/tests"), { recursive: true });
    writeFileSync(join(folder, ".agents/tests/greets.test.yaml"), made.text);
    writeFileSync(join(folder, ".agents/tests/greets.yaml"), made.script);
    await far.told("distrustFolder", { folder });
    const { digest } = await far.told<{ digest: string }>("lookAtFolder", { folder });
    await far.told("trustFolder", { folder, digest });
    expect((await far.call("runTests", { paths: [folder] })).text).toContain('"ok":');
  });

  test("callers, sessions and the daemon itself fit the contract", async () => {
    await far.told("whoAmI");
    await far.told("accessTokens");
    const { key } = await far.told<{ key: string }>("loginKey");
    const opened = await far.ask("POST", "/api/v1/session", { body: { key }, token: null });
    expect(opened.status).toBe(200);
    const cookie = opened.headers.get("set-cookie")!.split(";", 1)[0]!;
    const closed = await far.ask("DELETE", "/api/v1/session", { token: null, headers: { cookie } });
    expect(closed.json).toEqual({ ended: true });
    await far.told("status");
    await far.told("config");
    await far.told("doctor");
    await far.call("attack", { only: ["A1"] });
    for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs/reference/http"])
      expect([path, (await far.ask("GET", path)).status]).toEqual([path, 200]);
  });

  test("tenants and their ceilings, and what the store says of itself", async () => {
    const name = "passing";
    await far.told("addTenant", { name, allow: ["tool:echo:call"] });
    await far.told("tenant", { name });
    await far.told("setTenant", { name, ceiling: "none" });
    await far.told("setTenant", { name, ceiling: "default", allow: ["tool:echo:call"] });
    await far.told("setTenant", { name, remove: ["tool:echo:call"] });
    await far.told("tenants");
    await far.told("removeTenant", { name });
    await far.told("storeReport");
    await far.told("acceptStore"); // nothing is lost, and so nothing is released
    expect((await far.call("acceptStore", { pids: [ended] })).status).toBe(404);
  });

  test("the doors of other protocols are there, as far as the document says", async () => {
    const post = (path: string, body: object, headers = {}) =>
      far.ask("POST", path, { body, headers });
    const asked = { model: "door", stream: false };
    expect((await far.ask("GET", "/v1/models")).text).toContain("door");
    expect((await far.ask("GET", "/v1/models/door")).status).toBe(200);
    const messages = [{ role: "user", content: "hi" }];
    expect((await post("/v1/chat/completions", { ...asked, messages })).status).toBe(200);
    const made = await post("/v1/responses", { ...asked, input: "hi", store: true });
    const { id } = made.json as { id: string };
    expect((await far.ask("GET", `/v1/responses/${id}`)).status).toBe(200);
    expect((await far.ask("POST", `/v1/responses/${id}/cancel`)).status).toBe(200);

    const accept = { accept: "application/json, text/event-stream" };
    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "contract", version: "1" },
      },
    };
    const met = await post("/mcp", hello, accept);
    expect([met.status, met.text]).toEqual([200, expect.stringContaining("serverInfo")]);
    const session = { "mcp-session-id": met.headers.get("mcp-session-id")! };
    expect((await far.ask("DELETE", "/mcp", { headers: session })).status).toBe(200);
  });

  test("files of the tree, messages and topics fit the contract", async () => {
    const path = "/mem/shared/note";
    await far.told("writeFile", { path, data: "the port is 8080" });
    await far.told("listFiles", { path: "/mem/shared" });
    await far.told("readFile", { path });
    await far.told("findFiles", { path: "/mem/shared", query: "port" });
    const { versions } = (await far.told("fileVersions", { path })) as {
      versions: { version: string }[];
    };
    const { version } = versions[0]!;
    await far.told("fileVersion", { path, version });
    await far.told("diffFile", { path });
    await far.told("restoreFile", { path, version });
    await far.told("removeFile", { path });
    const fact = { text: "The port is 8080.", agent: "contract", subject: "port" };
    const added = await far.told<{ path: string }>("addFact", fact);
    await far.told("memoryRecord", { path: added.path });
    const { rows } = await far.told<{ rows: object[] }>("exportMemory", { limit: 5 });
    await far.told("importMemory", { records: rows, agent: "contract-copy", trusted: true });
    await far.told("memoryStats");
    const source = { file: "a.md", root: "/srv/docs", digest: "1:00", commit: "0".repeat(40) };
    const files = [{ path: "a.md", source, text: "# Port\n\nThe gateway listens on 8080." }];
    await far.told("ingest", { name: "docs", files, remove: ["b.md"] });
    await far.told("collections");
    await far.told("collectionFiles", { name: "docs", limit: 10 });
    await far.told("askContext", { question: "which port", collections: ["docs"], tokens: 500 });
    await far.told("mounts");
    const schema = { type: "object" };
    await far.told("setTopicSchema", { topic: "news.today", schema });
    await far.told("publish", { topic: "news.today", body: { n: 1 }, lane: "high" });
    expect((await far.call("publish", { topic: "news.today", body: 1 })).status).toBe(400);
    await far.told("topics");
    await far.told("setTopicSchema", { topic: "news.today", schema: null });
    const event = { specversion: "1.0", id: "1", source: "/a", type: "t", data: { n: 2 } };
    await far.told("publishCloudEvent", { topic: "news.today", ...event });
    const deaf = await run("listener");
    await far.told("signal", { pid: deaf, signal: "SIGSTOP" });
    await far.told("sendCloudEvent", { pid: deaf, ...event });
    await far.told("signal", { pid: deaf, signal: "SIGKILL" });
    await far.call("wait", { pid: deaf, timeoutMs: 120_000 });
    const [letter] = await far.told<{ id: string }[]>("deadLetters", { pid: deaf, limit: 1 });
    await far.told("redrive", { id: letter!.id, to: lasting });
  });

  test("goals, roles and schedules fit the contract", () => askForWork(far));

  test("fleets and their items fit the contract", () => askOfFleets(far));

  test("what was said is searched, and memory tidied and forgotten", () => askOfMemory(far));

  test("backups, exports and the archive fit the contract", async () => {
    const at = (name: string) => join(folder, name);
    const passphrase = "correct horse battery";
    expect((await far.call("backUp", { file: at("all.aosb"), passphrase })).status).toBe(200);
    await far.told("exportRuns", { file: at("one.bundle"), pid: ended });
    const endedBefore = new Date().toISOString();
    await far.told("archiveRuns", { endedBefore, dryRun: true });
    expect((await far.call("archiveRuns", { pid: ended })).status).toBe(409); // a fork shares it
    await far.told("archivedRuns", { limit: 3 });
    await far.told("verifyArchive");
  });

  test("what is refused is refused in the words of the contract", async () => {
    const nobody = { token: null, isWrong: true };
    await far.told("addTenant", { name: "elsewhere" });
    const { token: viewer } = await far.told<{ token: string }>("createAccessToken", {
      role: "viewer",
      tenant: "elsewhere",
    });
    const wrong = async (status: number, asked: ReturnType<FarSide["ask"]>) =>
      expect((await asked).status).toBe(status);

    const refused = async (path: string, method: string) => {
      const address = path.replaceAll(/\{\w+\}/g, "x");
      const ask = (query: string, token: string | null | undefined) =>
        far.ask(method, address + query, {
          isWrong: true,
          ...(token === undefined ? {} : { token }),
          ...(method === "POST" ? { body: { "no such field": 1 } } : {}),
        });
      await wrong(401, ask("", "aost_nobody"));
      if (operationAt(method, address) === undefined) return;
      await wrong(401, ask("", null));
      await wrong(400, ask("?none=1", undefined));
      expect([400, 403]).toContain((await ask("?none=1", viewer)).status);
    };
    const rows = Object.entries(far.document.paths).flatMap(([path, here]) =>
      Object.keys(here).map((method) => refused(path, method.toUpperCase())),
    );
    await Promise.all(rows);
    await wrong(400, far.ask("GET", "/api/v1/events?after=x"));
    await wrong(404, far.ask("GET", "/api/v1/processes/nobody/events"));
    await wrong(401, far.ask("GET", "/metrics", nobody));
    await wrong(403, far.ask("GET", "/metrics", { token: viewer }));
    await wrong(404, far.call("show", { pid: "nobody" }));
    await wrong(404, far.call("show", { pid: ended }, { token: viewer }));
    await wrong(404, far.call("coreDump", { pid: ended }));
    await wrong(404, far.call("memory", { pid: ended, path: "/mem/shared/none" }));
    await wrong(404, far.call("memoryRecord", { path: "/mem/shared/none" }));
    await wrong(404, far.call("searchMemory", { query: "x", tenant: "nobody" }));
    await wrong(400, far.ask("GET", "/api/v1/events?pids=x", { isWrong: true }));
    await wrong(409, far.call("signal", { pid: ended, signal: "SIGINT" }));
    await wrong(400, far.call("spawn", { manifest: { file: "a.yaml", text: "colour: red\n" } }));
    await wrong(401, far.call("status", {}, { token: "aost_nobody", isWrong: true }));
    await wrong(401, far.ask("POST", "/api/v1/session", { body: { token: "x" }, token: null }));
    const keyed = { headers: { "idempotency-key": "once" } };
    const spawn = { agent: "listener", cwd: folder };
    const first = await far.call("spawn", spawn, keyed);
    expect((await far.call("spawn", spawn, keyed)).text).toBe(first.text);
    await wrong(422, far.call("spawn", { ...spawn, input: 1 }, keyed));
    await wrong(400, far.call("loginKey", {}, { ...keyed, isWrong: true }));
  });

  test("no operation of the document was left out, and each was refused as well", async () => {
    await far.told("shutdown");
    const operations = Object.values(far.document.paths).flatMap((here) => Object.values(here));

    const unanswered = operations.filter(
      ({ operationId }) => !far.met(operationId).some((status) => status < 300),
    );
    const unrefused = operations.filter(
      ({ operationId }) => !far.met(operationId).some((status) => status >= 400),
    );

    // They have no end, and prism passes on what has one.
    const endless = ["tailMessages", "mcpListen"];
    expect(unanswered.map(({ operationId }) => operationId)).toEqual(endless);
    expect(unrefused.map(({ operationId }) => operationId)).toEqual([]);
  });
});
