// `--watch`, in a pipe and at a terminal, on a real daemon.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { AOS } from "../home.ts";
import { createTestProject, type TestProject } from "../project.ts";

let project: TestProject;
beforeAll(async () => {
  project = createTestProject();
  await project.aos("up", "-d");
});
afterAll(() => project.remove());

const patience = { timeout: 120_000, interval: 50 };

interface Watching {
  readonly said: () => string;
  readonly noted: () => string;
  readonly child: ChildProcess;
}

function watching(...words: string[]): Watching {
  const child = project.home.start(...words, "--watch", "--every", "100ms");
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  let noted = "";
  child.stdout!.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (noted += text));
  return { said: () => said, noted: () => noted, child };
}

const documents = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { pid: string; state: string }[]);

test("with -o json each change is a line, and what is the same is not said again (WATCH-1)", async () => {
  const { said } = watching("ps", "-o", "json");
  await vi.waitFor(() => expect(documents(said())).toEqual([[]]), patience);

  const pid = await project.spawned("listener");
  await project.until(pid, "waiting");
  await vi.waitFor(
    () => expect(documents(said()).at(-1)).toMatchObject([{ pid, state: "waiting" }]),
    patience,
  );
  await project.aos("kill", pid);
  await vi.waitFor(() => expect(documents(said()).at(-1)).toEqual([]), patience);

  const lines = said().trim().split("\n");
  for (const [at, line] of lines.entries()) expect(line).not.toBe(lines[at - 1]);
});

test("with -o name each name is said once, when it is first there", async () => {
  const { said } = watching("ps", "-o", "name");
  const first = await project.spawned("listener");
  await vi.waitFor(() => expect(said()).toBe(`${first}\n`), patience);

  const second = await project.spawned("listener");
  await vi.waitFor(() => expect(said()).toBe(`${first}\n${second}\n`), patience);
  await project.aos("kill", first, second);
});

test.each([["approvals"], ["cost"], ["status"], ["model", "ls"]])(
  "%s watches, too",
  async (...words) => {
    const { said } = watching(...words, "-o", "json");

    await vi.waitFor(() => expect(said()).toMatch(/^[[{].*[\]}]\n/), patience);
  },
);

test("at a terminal it is drawn anew, and q leaves", async () => {
  const pid = await project.spawned("listener");
  const line = `"${AOS}" ps --watch --every 100ms; echo "left with $?"`;
  const child = spawn("script", ["-qec", `sh -c '${line}'`, "/dev/null"], {
    cwd: project.folder,
    env: { ...project.home.env, TERM: "xterm" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await vi.waitFor(() => expect(said.split("q leaves").length).toBeGreaterThan(2), patience);

  child.stdin.write("q");
  await once(child, "exit");

  expect(said).toContain("\u001b[?1049h");
  expect(stripVTControlCharacters(said)).toContain(pid);
  expect(said).toContain("\u001b[?1049l");
  expect(said).toContain("left with 0");
  await project.aos("kill", pid);
});

test("a daemon that is stopped meanwhile stays down, and is seen again when it is up (WATCH-2)", async () => {
  const { said, noted, child } = watching("status", "-o", "json");
  await vi.waitFor(() => expect(said()).not.toBe(""), patience);

  await project.aos("down");
  await vi.waitFor(() => expect(noted()).toMatch(/no daemon is running.*retrying/), patience);
  const status = await project.aos("status");
  const before = said().length;
  await project.aos("up", "-d");

  await vi.waitFor(() => expect(said().length).toBeGreaterThan(before), patience);
  expect(status.code).toBe(1);
  expect(noted().match(/retrying/g)?.length).toBeLessThanOrEqual(2);
  expect(child.exitCode).toBeNull();
});
