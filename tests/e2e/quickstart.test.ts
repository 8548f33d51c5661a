// The first five minutes: a clone that nothing was built in, the README's first command, and then only
// what the terminal itself says to type, until a run was refused something, killed, approved and finished.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { putFirstAgent } from "../../scripts/start/first-agent.ts";
import { clientOver } from "../../scripts/start/over-socket.ts";
import { cloneInto } from "./clone.ts";
import { createTestHome, daemonPid, ROOT, type Ran, type TestHome } from "./home.ts";
import { isRunning } from "@aos/cli/parts";

let home: TestHome;
let clone: string;
/** What was typed so far, and since when. */
const typed: string[] = [];
let began: number;

beforeAll(() => {
  home = createTestHome({ AOS_HTTP: "127.0.0.1:0" });
  clone = mkdtempSync(join(tmpdir(), "aos-clone-"));
  cloneInto(clone);
});
afterAll(async () => {
  await home.remove();
  rmSync(clone, { recursive: true, force: true, maxRetries: 20 });
});

/** A line, typed in the clone. */
async function type(line: string): Promise<Ran> {
  typed.push(line);
  const PATH = [join(clone, "node_modules/.bin"), home.env["PATH"]].join(delimiter);
  return home.shell(line, { cwd: clone, env: { PATH } });
}

const ESCAPE = String.fromCharCode(27);
/** The commands that a terminal shows, in their order: indented, and not after a #. */
const hintsIn = (said: string): string[] =>
  [...said.matchAll(/^ {2}((?:npx aos|npm start|kill) .*)$/gm)].map(([, line]) => line!);
const hint = (said: string, begins: string): string => {
  const found = hintsIn(said).find((line) => line.startsWith(begins));
  if (found === undefined) throw new Error(`no hint begins with "${begins}" in\n${said}`);
  return found;
};

const desk = (file: string): string => {
  const demo = join(home.folder, "demo");
  return readFileSync(
    join(
      demo,
      readdirSync(demo).find((name) => name.startsWith("desk"))!,
      file,
    ),
    "utf8",
  );
};
/** Whether the journal has what the payment came to. */
async function hasPaid(): Promise<boolean> {
  const records = await client().journal({ pid: /agt_\w+/.exec(first.stdout)![0] });
  const { n } = (records.find(
    (record) => record.kind === "intent" && JSON.stringify(record.args).includes("file.append"),
  ) ?? {}) as { n?: number };
  return records.some((record) => record.kind === "outcome" && record.n === n);
}
const client = () => clientOver(join(home.folder, "aos.sock"));
const demos = async () => (await client().list()).filter(({ agent }) => agent === "demo");
let first: Ran;

test("the README's first command prints one address, tools in the sandbox, a refusal and a question", async () => {
  const [install, start] = firstCommand().split(" && ");
  expect(install).toBe("npm install"); // The clone has what it would bring.
  began = performance.now();
  first = await type(start!);

  expect(first.code, first.stdout + first.stderr).toBe(0);
  expect(first.stdout.match(/https?:\/\/\S+/g)).toEqual([
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#key=\S+$/),
  ]);
  expect(first.stdout).not.toContain(ESCAPE);
  expect(first.stdout).toMatch(
    /did +shell\.execute awk .*\n.*"stdout":"294\\n".*\n +in the sandbox: /,
  );
  expect(first.stdout).toMatch(
    /REFUSED +http\.send .*\n +EACCES: `demo` may not POST to mallory\.example:443\/collect:\s+its\s+manifest\s+grants\s+no\s+`http:`\s+capability/,
  );
  expect(first.stdout).toMatch(/ASKS +file\.append \/work\/payments\.csv/);
  expect(first.stdout).toContain("npx aos configure");
  expect(desk("payments.csv")).not.toContain("Lumen");
});

test("there is an agent for other programs, which is written once", async () => {
  const { stdout } = await home.aos("agent", "ls", "-o", "name");
  const manifest = join(home.folder, "agents/hello.yaml");

  expect(stdout).toBe("hello\n");
  expect((await home.aos("run", "hello", "Good morning")).stdout).toContain("Good morning");
  writeFileSync(manifest, `${readFileSync(manifest, "utf8")}# mine\n`);
  putFirstAgent(home.folder);
  expect(readFileSync(manifest, "utf8")).toMatch(/# mine\n$/);
  rmSync(manifest);
  writeFileSync(join(home.folder, "agents/other.yaml"), "name: other\n");
  putFirstAgent(home.folder);
  expect(readdirSync(join(home.folder, "agents"))).toEqual(["other.yaml"]);
});

test("the refusal is the gate's, and the question a rule's: the journal has both", async () => {
  const pid = /agt_\w+/.exec(first.stdout)![0];
  const records = await client().journal({ pid });
  const [question] = await client().questions();

  expect(records).toContainEqual(
    expect.objectContaining({
      call: "exec",
      err: expect.objectContaining({
        code: "EACCES",
        detail: expect.objectContaining({ check: "capability" }),
      }),
    }),
  );
  expect(records).toContainEqual(
    expect.objectContaining({ kind: "outcome", heldBy: expect.stringMatching(/fs.* enforced/) }),
  );
  expect(question).toMatchObject({ pid, kind: "policy", about: { rule: "kernel/red-external" } });
});

test("killed, started, approved, killed again in the middle: it finishes, and has paid once", async () => {
  const waits = hint(first.stdout, "npx aos wait");
  expect((await type(hint(first.stdout, "npx aos approvals show"))).stdout).toContain("RED");
  const before = daemonPid(home.folder)!;
  await type(hint(first.stdout, "kill -9"));
  await gone(before);
  expect((await type(hint(first.stdout, "npx aos up"))).code).toBe(0);
  expect(daemonPid(home.folder)).not.toBe(before);
  expect((await client().questions()).length).toBe(1);

  expect((await type(hint(first.stdout, "npx aos approve ask_"))).code).toBe(0);
  // Not while it pays: of a payment that was begun and has no outcome a person would be asked.
  await expect.poll(hasPaid, { timeout: 120_000 }).toBe(true);
  const second = daemonPid(home.folder)!;
  await type(`kill -9 ${second}`);
  await gone(second);
  await type(hint(first.stdout, "npx aos up"));
  const ended = await type(waits);

  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout).toContain("Paid.");
  expect(desk("payments.csv").match(/Lumen Power/g)).toHaveLength(1);
  expect((await type(hint(first.stdout, "npx aos why"))).stdout).toContain("EACCES");
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`quickstart: ${typed.length} commands and ${seconds} s after the install`);
});

test("started again, it says how things stand and starts nothing; its hints work", async () => {
  const again = await type("npm start");
  expect(again.stdout).toContain("Agent OS is up already.");
  expect(again.stdout).toMatch(/done +Paid\./);
  expect(await demos()).toHaveLength(1);

  expect((await type(hint(again.stdout, "npx aos replay"))).stdout).toContain("identical");
  const another = await type(hint(again.stdout, "npm start"));
  expect(another.stdout).toMatch(/ASKS +file\.append/);
  expect(await demos()).toHaveLength(2);
  expect((await type(hint(another.stdout, "npx aos down"))).code).toBe(0);
});

test("where nothing can hold a program none is run, and it is said; the rest goes on", async () => {
  const bare = createTestHome({ AOS_HTTP: "off" });
  onTestFinished(() => bare.remove());
  mkdirSync(bare.folder, { mode: 0o700 });
  // As on a machine without a sandbox: what is asked for is not held.
  writeFileSync(join(bare.folder, "config.yaml"), "sandbox: { require: [disk] }\n", {
    mode: 0o600,
  });
  const started = await bare.shell("npm start", { cwd: clone });

  expect(started.stdout).toMatch(/REFUSED +shell\.execute awk/);
  expect(started.stdout).toContain("No program was run for the agent");
  expect(started.stdout).toMatch(/ASKS +file\.append/);
  expect(started.stdout).toMatch(/page +none/);
  expect(started.code).toBe(0);
});

/** What stands first in the README to be typed. */
const firstCommand = (): string =>
  /^```sh\n(.*)\n```$/m.exec(readFileSync(join(ROOT, "README.md"), "utf8"))?.[1] ?? "";

async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
}
