// The command line as people and scripts use it, on a real daemon.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ending, JournalRecord, ProcessDetail, ProcessInfo } from "@aos/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestHome, daemonPid, finish, isAlive, type TestHome } from "./home.ts";

let home: TestHome;
/** A folder with agents of its own. */
let project: string;

beforeAll(async () => {
  home = createTestHome();
  project = mkdtempSync(join(tmpdir(), "aos-e2e-project-"));
  mkdirSync(join(project, ".agents/agents"), { recursive: true });
  writeFileSync(join(project, ".agents/agents/listener.yaml"), foreign("listener", LISTENER));
  writeFileSync(join(project, "stubborn.yaml"), foreign("stubborn", STUBBORN + LISTENER));
  writeFileSync(join(project, "fails.yaml"), foreign("fails", FAILS));
  writeFileSync(join(project, "asks.yaml"), foreign("asks", ASKS));
  await home.aos("up", "-d");
});
afterAll(async () => {
  await home.remove();
  rmSync(project, { recursive: true, force: true });
});

/** A program in a few lines of JavaScript that speaks the syscall protocol. */
const foreign = (name: string, body: string): string => {
  const script = `${name}.mjs`;
  writeFileSync(join(project, ".agents/agents", script), PRELUDE + body);
  writeFileSync(join(project, script), PRELUDE + body);
  return [
    "apiVersion: aos/v1",
    "kind: Agent",
    `name: ${name}`,
    `command: [${JSON.stringify(process.execPath)}, ${script}]`,
    'capabilities: ["message:*:receive", "memory:/mem/working/**:read,write"]',
  ].join("\n");
};

const PRELUDE = `
import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const hear = async () => JSON.parse((await lines.next()).value);
let id = 0;
const say = (method, params) =>
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }) + "\\n");
const call = async (method, params) => {
  say(method, params);
  for (;;) { const heard = await hear(); if (heard.id === id) return heard; }
};
const { params: { input } } = await hear();
`;
const LISTENER = `
const heard = await call("receive", {});
say("exit", { code: 0, output: heard.result.body });
`;
const STUBBORN = `await call("handle", { signal: "SIGINT", action: "ignore" });`;
const FAILS = `
const no = await call("exec", { tool: "echo", args: { text: "x" } });
say("exit", { code: no.error.data.code === "EACCES" ? 96 : 3, output: "refused" });
`;
const ASKS = `
const heard = await call("ask", { question: "May I?", choices: ["yes", "no"] });
say("exit", { code: 0, output: heard.result });
`;

const inProject = (...words: string[]) => home.aosWith({ cwd: project }, ...words);
const spawned = async (...words: string[]) => (await inProject("spawn", ...words)).stdout.trim();

async function pidOf(running: ChildProcess): Promise<string> {
  const [said] = (await once(running.stderr!, "data")) as [Buffer | string];
  return /agt_\w+/.exec(String(said))?.[0] ?? "";
}

async function until(pid: string, state: string): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const shown = (await home.aos("show", pid, "-o", "json")).json() as ProcessDetail;
    if (shown.state === state) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${pid} did not become ${state}`);
}

describe("running", () => {
  test("the result is on standard output, everything else on standard error", async () => {
    const ran = await home.aos("run", "examples/hello", "Good morning");

    expect(ran.stdout).toBe('Hello! The echo tool returned {"text":"Good morning"}\n');
    expect(ran.stderr).toMatch(/^aos: agt_\w+ is running\n$/);
    expect(ran.code).toBe(0);
  });

  test("input comes from an option, a file, or standard input", async () => {
    writeFileSync(join(project, "words.txt"), "from a file");

    const option = await home.aos("run", "examples/hello/agent.yaml", "--input", "an option");
    const file = await home.aos("run", "examples/hello", "--input", `@${project}/words.txt`);
    const piped = await home.aosWith({ stdin: "a pipe" }, "run", "examples/hello", "-i", "-");

    expect(option.stdout).toContain("an option");
    expect(file.stdout).toContain("from a file");
    expect(piped.stdout).toContain("a pipe");
  });

  test("a slow writer on standard input is waited for", async () => {
    const running = home.start("run", "examples/hello", "--input", "-");
    const ended = finish(running, null);
    await new Promise((resolve) => setTimeout(resolve, 500));
    running.stdin?.write("in two ");
    await new Promise((resolve) => setTimeout(resolve, 200));
    running.stdin?.end("pieces");

    expect((await ended).stdout).toContain("in two pieces");
  });

  test("the exit code is the process's, also of one that was refused", async () => {
    const ran = await inProject("run", "fails.yaml");

    expect(ran).toMatchObject({ code: 96, stdout: "refused\n" });
  });

  test("--cap narrows what the manifest grants", async () => {
    const ran = await home.aos(
      "run",
      "examples/hello",
      "hi",
      "--cap",
      "model:scripted/hello:infer",
    );

    expect(ran.stdout).toContain("I may not use the echo tool");
  });

  test("run -o json says how it ended", async () => {
    const ran = await home.aos("run", "examples/hello", "hi", "-o", "json");

    expect(ran.json()).toMatchObject({
      state: "completed",
      exitCode: 0,
      output: expect.any(String),
    });
  });
});

describe("looking", () => {
  test("ps lists those that live, -a all, in the shape that scripts rely on", async () => {
    const pid = await spawned("listener");
    await home.aos("run", "examples/hello", "x");

    const living = (await home.aos("ps", "-o", "json")).json() as ProcessInfo[];
    const all = (await home.aos("ps", "-a", "-o", "json")).json() as ProcessInfo[];

    expect(living.map((process) => process.pid)).toContain(pid);
    expect(living.every(({ exitCode }) => exitCode === null)).toBe(true);
    expect(all.length).toBeGreaterThan(living.length);
    expect(Object.keys(all[0] ?? {})).toEqual(
      expect.arrayContaining(
        "pid agent state waitingOn parent exitCode costUsd startedAt".split(" "),
      ),
    );
    await home.aos("kill", "-KILL", pid);
  });

  test("show takes a pid, a unique beginning and @last", async () => {
    const { pid } = (await home.aos("run", "examples/hello", "-o", "json")).json() as Ending;

    const shown = await Promise.all(
      [pid, pid.slice(0, -1), "@last"].map((name) => home.aos("show", name, "-o", "json")),
    );

    for (const ran of shown) {
      expect(ran.json()).toMatchObject({
        pid,
        agent: "hello",
        manifestHash: expect.any(String),
        labels: expect.any(Object),
        budget: expect.any(Object),
        output: expect.stringContaining("Hello!"),
      });
    }
    expect((await home.aos("show", "@last", "-o", "yaml")).stdout).toContain(`pid: ${pid}`);
    expect((await home.aos("show", "agt_0")).stderr).toMatch(/more than one process begins with/);
  });

  test("logs prints one record a line; -f goes on to the end", async () => {
    const pid = await spawned("listener");
    const following = finish(home.start("logs", pid, "-f", "-o", "json"));
    await until(pid, "waiting");
    await home.aos("send", pid, "hello");
    const records = (await following).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as JournalRecord);

    const plain = (await home.aos("logs", pid)).stdout.trim().split("\n");
    const rest = (await home.aos("logs", pid, "--after", "0")).stdout.trim().split("\n");

    expect(records[0]).toMatchObject({ kind: "start", seq: 0 });
    expect(records.at(-1)).toMatchObject({ kind: "end", state: "completed" });
    expect(plain).toHaveLength(records.length);
    expect(rest).toHaveLength(records.length - 1);
  });

  test("wait gives the ending, and 66 when the time is up first", async () => {
    const pid = await spawned("listener");

    const early = await home.aos("wait", pid, "--timeout", "100ms", "-o", "json");
    await home.aos("send", pid, "[1,2]", "--json");
    const late = await home.aos("wait", pid, "--timeout", "30s", "-o", "json");

    expect(early.code).toBe(66);
    expect(early.json()).toMatchObject({ pid, exitCode: null });
    expect(late.json()).toMatchObject({ pid, state: "completed", exitCode: 0, output: [1, 2] });
  });
});

describe("steering", () => {
  test("pause stops it, resume lets it go on", async () => {
    const pid = await spawned("listener");
    await until(pid, "waiting");

    await home.aos("pause", pid);
    await until(pid, "paused");
    await home.aos("send", pid, "go");
    await home.aos("resume", pid);

    expect((await home.aos("wait", pid)).stdout).toBe("go\n");
  });

  test.each([
    [["-KILL"], 137],
    [["-s", "INT"], 130],
  ])("kill %j ends it", async (words, code) => {
    const pid = await spawned("listener");
    await until(pid, "waiting");

    const killed = await home.aos("kill", ...words, pid, "-o", "json");

    expect(killed.json()).toMatchObject([{ pid }]);
    expect((await home.aos("wait", pid)).code).toBe(code);
  });

  test("signal sends by name; an ended process is refused", async () => {
    await home.aos("run", "examples/hello");

    const ran = await home.aos("signal", "@last", "USR2", "-o", "json");

    expect(ran.code).toBe(1);
    expect(ran.error()).toMatchObject({ code: "ESTATE" });
  });

  test("Ctrl-C goes to the process", async () => {
    const running = home.start("run", join(project, ".agents/agents/listener.yaml"));
    const pid = await pidOf(running);
    await until(pid, "waiting");

    running.kill("SIGINT");

    expect((await finish(running)).code).toBe(130);
    expect((await home.aos("show", pid, "-o", "json")).json()).toMatchObject({ exitCode: 130 });
  });

  test("a second Ctrl-C leaves it running", async () => {
    const running = home.start("run", join(project, "stubborn.yaml"));
    const pid = await pidOf(running);
    await until(pid, "waiting");

    const ended = finish(running);
    running.kill("SIGINT");
    await once(running.stderr!, "data");
    running.kill("SIGINT");

    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`aos wait ${pid}`);
    await home.aos("send", pid, "done");
    expect((await home.aos("wait", pid)).stdout).toBe("done\n");
  });

  test("approve and deny answer what waits", async () => {
    const yes = await spawned("asks.yaml");
    const no = await spawned("asks.yaml");
    await until(yes, "waiting");
    await until(no, "waiting");
    const open = (await home.aos("approvals", "-o", "json")).json() as {
      id: string;
      pid: string;
    }[];
    const idOf = (pid: string) => open.find((question) => question.pid === pid)?.id ?? "";

    await home.aos("approve", idOf(yes));
    await home.aos("deny", idOf(no), "--reason", "no");

    expect((await home.aos("wait", yes)).stdout).toBe("yes\n");
    expect((await home.aos("wait", no)).stdout).toBe("no\n");
    expect((await home.aos("approvals", "-o", "json")).json()).toEqual([]);
  });
});

describe("going back", () => {
  test("replay, fork and retry", async () => {
    const { pid } = (await home.aos("run", "examples/hello", "hi", "-o", "json")).json() as Ending;

    const replayed = await home.aos("replay", pid, "--verify", "-o", "json");
    const forked = (await home.aos("fork", pid, "--at", "1")).stdout.trim();
    const retried = (await home.aos("retry", pid, "--from", "1", "-o", "json")).json() as {
      pid: string;
    };

    expect(replayed.json()).toMatchObject({ pid, identical: true, difference: null });
    expect(replayed.code).toBe(0);
    expect((await home.aos("wait", forked)).stdout).toContain("Hello!");
    expect((await home.aos("wait", retried.pid)).stdout).toContain("Hello!");
  });

  test("debug prints the core dump of an abnormal end, and says when there is none", async () => {
    const { pid } = (await inProject("run", "fails.yaml", "-o", "json")).json() as Ending;
    const good = (await home.aos("run", "examples/hello", "-o", "json")).json() as Ending;

    const dump = await home.aos("debug", pid, "-o", "json");
    const none = await home.aos("debug", good.pid);

    expect(dump.code).toBe(0);
    expect(JSON.stringify(dump.json())).toContain(pid);
    expect(none.stderr).toMatch(/left no core dump/);
    expect(none.code).toBe(1);
  });

  test("audit verify and gc report", async () => {
    const audit = await home.aos("audit", "verify", "-o", "json");
    const gc = await home.aos("gc", "--dry-run", "-o", "json");

    expect(audit.json()).toMatchObject({ ok: true, findings: [] });
    expect(audit.code).toBe(0);
    expect(gc.json()).toMatchObject({ dryRun: true, compacted: expect.any(Number) });
  });
});

describe("the daemon", () => {
  test("its home and its socket are its owner's alone", () => {
    expect(statSync(home.folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(home.folder, "aos.sock")).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.folder, "daemon.json")).mode & 0o777).toBe(0o600);
  });

  test("status says who answers", async () => {
    const ran = await home.aos("status", "-o", "json");

    expect(ran.json()).toMatchObject({
      daemon: { pid: daemonPid(home.folder), version: "0.1.0" },
      url: null,
      socket: join(home.folder, "aos.sock"),
      store: expect.stringContaining("aos.db"),
    });
  });

  test("down stops it cleanly; what waits goes on after the next start, which any command makes", async () => {
    const running = home.start("run", join(project, ".agents/agents/listener.yaml"));
    const pid = await pidOf(running);
    const ran = finish(running);
    await until(pid, "waiting");
    const before = daemonPid(home.folder) ?? 0;

    const down = await home.aos("down", "-o", "json");
    const status = await home.aos("status", "-o", "json");
    const sent = await home.aos("send", pid, "still there?");

    expect(down.json()).toEqual({ stopped: true, pid: before });
    expect(isAlive(before)).toBe(false);
    expect(status.error()).toMatchObject({ code: "ENOENT" });
    expect(status.code).toBe(1);
    expect(sent.stderr).toMatch(/^aos: started the daemon/);
    expect((await ran).stdout).toBe("still there?\n");
  });

  test("kill -9 leaves nothing that a new one stumbles over", async () => {
    const pid = await spawned("listener");
    await until(pid, "waiting");

    process.kill(daemonPid(home.folder) ?? 0, "SIGKILL");
    const sent = await home.aos("send", pid, "alive");

    expect(sent.code).toBe(0);
    expect((await home.aos("wait", pid)).stdout).toBe("alive\n");
  });

  test("commands that find none all at once start one between them", async () => {
    await home.aos("down");

    const ran = await Promise.all([1, 2, 3, 4].map(() => home.aos("run", "examples/hello", "x")));

    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(ran.filter(({ stderr }) => stderr.includes("started the daemon"))).toHaveLength(1);
  });

  test("in the foreground it logs JSON lines, and a signal ends it", async () => {
    const other = createTestHome();
    const child = other.start("up");
    const running = finish(child);
    await once(child.stderr!, "data");

    child.kill("SIGTERM");

    const { code, stderr } = await running;
    expect(code).toBe(0);
    expect(
      stderr
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { msg: string }).msg),
    ).toEqual(["ready", "stopping", "stopped"]);
    await other.remove();
  });
});
