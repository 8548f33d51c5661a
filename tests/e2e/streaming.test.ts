// `aos run` as a person sees it: files go in, and on a terminal the words come as they are said, once.

import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AOS, finish } from "./home.ts";
import { createTestProject, pidOf, type TestProject } from "./project.ts";

const TEXT = "The quick brown fox jumps over the lazy dog.";
const PNG = Buffer.from("89504e470d0a1a0a00", "hex");

let project: TestProject;

beforeAll(() => {
  project = createTestProject();
  const put = (name: string, text: string) => writeFileSync(join(project.folder, name), text);
  // It waits for a message before it speaks, so that whoever is to hear it is there.
  put(
    "fox.yaml",
    `turns: [{ call: [{ tool: message.receive }] }, { say: "${TEXT}", pieceMs: 5 }]\n`,
  );
  put("eyes.yaml", 'turns: [{ say: "{{input}}" }]\n');
  for (const name of ["fox", "eyes"])
    put(
      `${name}-agent.yaml`,
      `{ apiVersion: aos/v1, kind: Agent, name: ${name}, model: scripted/${name}, tools: [message.receive], capabilities: ["model:*:infer"] }\n`,
    );
});
afterAll(() => project.remove());

/** Runs `aos` on a terminal of its own; what it shows is what both streams write there. */
const onTerminal = (...words: string[]): ChildProcess =>
  spawn("python3", ["-c", "import pty, sys; pty.spawn(sys.argv[1:])", AOS, ...words], {
    cwd: project.folder,
    env: project.home.env,
  });

/** Resolves when it has shown this. */
function shows(child: ChildProcess, text: string): Promise<void> {
  let shown = "";
  return new Promise((resolve) => {
    child.stdout!.on("data", (piece: Buffer | string) => {
      shown += String(piece);
      if (shown.includes(text)) resolve();
    });
  });
}

test("--attach: files go with the words to the model", async () => {
  writeFileSync(join(project.folder, "a.png"), PNG);
  writeFileSync(join(project.folder, "b.csv"), "1,2");

  const files = ["--attach", "a.png", "--attach", "b.csv"];
  const { stdout } = await project.aos("run", "eyes-agent.yaml", "look", ...files);
  const shown = await project.aos("ctx", "export", "@last");

  expect(stdout).toBe("look\n");
  const messages = shown.json() as { attachments?: { mediaType: string; data: string }[] }[];
  expect(messages.flatMap(({ attachments = [] }) => attachments)).toEqual([
    { mediaType: "image/png", data: PNG.toString("base64"), name: "a.png" },
    { mediaType: "text/csv", data: Buffer.from("1,2").toString("base64"), name: "b.csv" },
  ]);
});

test("on a terminal the words come in pieces, and the result stands there once", async () => {
  const running = onTerminal("run", "fox-agent.yaml");
  const ended = finish(running, null);
  await shows(running, "asked the model");
  await project.aos("send", "@last", "go");
  const { stdout } = await ended;

  expect(stdout.split("quick brown fox")).toHaveLength(2);
  expect(stdout.trimEnd().endsWith(TEXT)).toBe(true);
  // The line before them went away for them: they were not printed by the end alone.
  expect(stdout).toContain("\r\u001b[2KThe quick");
});

test("without a terminal standard output is the result, and nothing else", async () => {
  const running = spawn(AOS, ["run", "fox-agent.yaml"], {
    cwd: project.folder,
    env: project.home.env,
  });
  const ended = finish(running, null);
  const pid = await pidOf(running);
  await project.aos("send", pid, "go");
  const { stdout, stderr } = await ended;

  expect(stdout).toBe(`${TEXT}\n`);
  expect(stderr).not.toContain("fox jumps");
});

test("attach gives words and records to whoever asks for them", async () => {
  const { socket } = (await project.aos("status", "-o", "json")).json() as { socket: string };
  const pid = await project.spawned("fox-agent.yaml");
  const address = `http://aos/api/v1/processes/${pid}/attach`;
  const asking = spawn("curl", ["-sN", "--unix-socket", socket, address]);
  const ended = finish(asking, null);
  await shows(asking, "infer");
  await project.aos("send", pid, "go");
  const seen = (await ended).stdout.trim().split("\n").map(readLine);

  const words = seen.flatMap(({ progress }) => (progress === undefined ? [] : [progress.text]));
  expect(words.join("")).toBe(TEXT);
  expect(seen.at(-1)!.record).toMatchObject({ kind: "end" });
});

const readLine = (line: string) =>
  JSON.parse(line) as {
    readonly progress?: { readonly text: string };
    readonly record?: { readonly kind: string };
  };
