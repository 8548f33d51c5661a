// Running agents and looking at them, as people and scripts do, on a real daemon.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ending, JournalRecord, ProcessInfo } from "@aos/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { finish, type TestHome } from "./home.ts";
import { createTestProject, type TestProject } from "./project.ts";

let project: TestProject;
let home: TestHome;

beforeAll(async () => {
  project = createTestProject();
  ({ home } = project);
  await home.aos("up", "-d");
});
afterAll(() => project.remove());

describe("running", () => {
  test("the result is on standard output, everything else on standard error", async () => {
    const ran = await home.aos("run", "examples/hello", "Good morning");

    expect(ran.stdout).toBe('Hello! The echo tool returned {"text":"Good morning"}\n');
    // The AGENTS.md is this repository's own: nobody has trusted it for the home of the test.
    expect(ran.stderr).toMatch(/^(?:aos: left out: AGENTS\.md of .*\n)?aos: agt_\w+ is running\n$/);
    expect(ran.code).toBe(0);
  });

  test("input comes from an option, a file, or standard input", async () => {
    writeFileSync(join(project.folder, "words.txt"), "from a file");

    const option = await home.aos("run", "examples/hello/agent.yaml", "--input", "an option");
    const file = await home.aos("run", "examples/hello", "--input", `@${project.folder}/words.txt`);
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
    const ran = await project.aos("run", "fails.yaml");

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
    const pid = await project.spawned("listener");
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
    expect((await home.aos("show", "agt_0")).stderr).toMatch(/several process ids begin with/);
  });

  test("logs prints one record a line; -f goes on to the end", async () => {
    const pid = await project.spawned("listener");
    const following = finish(home.start("logs", pid, "-f", "-o", "json"));
    await project.until(pid, "waiting");
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
    const pid = await project.spawned("listener");

    const early = await home.aos("wait", pid, "--timeout", "100ms", "-o", "json");
    await home.aos("send", pid, "[1,2]", "--json");
    const late = await home.aos("wait", pid, "--timeout", "30s", "-o", "json");

    expect(early.code).toBe(66);
    expect(early.json()).toMatchObject({ pid, exitCode: null });
    expect(late.json()).toMatchObject({ pid, state: "completed", exitCode: 0, output: [1, 2] });
  });
});

describe("going back", () => {
  test("works with replay, fork and retry", async () => {
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
    const { pid } = (await project.aos("run", "fails.yaml", "-o", "json")).json() as Ending;
    const good = (await home.aos("run", "examples/hello", "-o", "json")).json() as Ending;

    const dump = await home.aos("debug", pid, "-o", "json");
    const none = await home.aos("debug", good.pid);

    expect(dump.code).toBe(0);
    expect(JSON.stringify(dump.json())).toContain(pid);
    expect(none.stderr).toMatch(/left no core dump/);
    expect(none.code).toBe(1);
  });

  test("leaves what audit verify and gc report on", async () => {
    const audit = await home.aos("audit", "verify", "-o", "json");
    const gc = await home.aos("gc", "--dry-run", "-o", "json");

    expect(audit.json()).toMatchObject({ ok: true, findings: [] });
    expect(audit.code).toBe(0);
    expect(gc.json()).toMatchObject({ dryRun: true, compacted: expect.any(Number) });
  });
});
