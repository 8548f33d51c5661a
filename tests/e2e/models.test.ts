// Providers and models as people have them: the command line, a real daemon, and a server that speaks
// OpenAI's protocol.

import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelReport, ModelTestReport } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOpenAiServer, type OpenAiServer } from "../helpers/openai-server.ts";
import { createTestHome, daemonPid, killDaemon, type TestHome } from "./home.ts";

const KEY = "sk-e2e-0123456789-abcdefghij";

let home: TestHome;
let server: OpenAiServer;

beforeAll(async () => {
  home = createTestHome({ LAB_API_KEY: "sk-of-the-environment-0123" });
  server = await startOpenAiServer([{ text: "ready" }], { key: KEY });
  mkdirSync(join(home.folder, "agents"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home.folder, "config.yaml"), "# ours\nlog: { level: debug }\n");
  writeFileSync(join(home.folder, "agents", "writer.yaml"), agent("lab/fake"));
  writeFileSync(join(home.folder, "agents", "recorder.yaml"), agent("record/lab/fake"));
});
afterAll(async () => {
  await home.remove();
  await server.close();
});

const agent = (model: string): string => `apiVersion: aos/v1
kind: Agent
name: writer
model: ${model}
capabilities: ["model:${model}:infer", "model:lab/fake:infer"]
`;

/** Every file of the home that has the text in it. */
function filesWith(text: string, folder = home.folder): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

const changed = (from: string, to: string) => {
  const file = join(home.folder, "config.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
};

const listed = async (...words: string[]): Promise<ModelReport[]> =>
  (await home.aos("model", "ls", ...words, "-o", "json")).json() as ModelReport[];

test("configure needs a terminal or a provider", async () => {
  const ran = await home.aos("configure");

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain("configure needs a terminal, or options");
  expect(ran.stderr).toContain("--provider anthropic --key-stdin");
});

test("configure seals the key, tries it, and never shows it", async () => {
  const place = ["--type", "openai-compatible", "--base-url", server.url];
  const words = ["--provider", "lab", ...place, "--model", "fake"];

  const wrong = await home.aosWith(
    { stdin: "sk-wrong-0123456789\n" },
    "configure",
    ...words,
    "--key-stdin",
  );
  const right = await home.aosWith(
    { stdin: `${KEY}\n` },
    "configure",
    ...words,
    "--key-stdin",
    "-o",
    "json",
  );

  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain("lab/fake failed");
  expect(wrong.stdout + wrong.stderr).not.toContain("sk-wrong");
  expect(right.json()).toMatchObject({
    name: "lab",
    secret: "LAB_API_KEY",
    test: { model: "lab/fake", ok: true, text: "ready", error: null },
  });
  expect(right.code).toBe(0);
  expect(right.stdout + right.stderr).not.toContain(KEY);
  expect(server.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(statSync(join(home.folder, "config.yaml")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(home.folder, "config.yaml"), "utf8")).toMatch(/^# ours\nlog: /);
});

test("an empty key writes nothing", async () => {
  const ran = await home.aosWith(
    { stdin: "\n" },
    "configure",
    "--provider",
    "openai",
    "--key-stdin",
  );

  expect(ran.code).toBe(2);
  expect(readFileSync(join(home.folder, "config.yaml"), "utf8")).not.toContain("openai:");
});

test("a test of a model is a process: it is recorded, and its exit code says how it went", async () => {
  const good = await home.aos("model", "test", "lab/fake", "-o", "json");
  const bad = await home.aos("model", "test", "nobody/x", "-o", "json");
  const keyless = await home.aos("model", "test", "openai/gpt-5-mini");
  const processes = (await home.aos("ps", "-a", "-o", "json")).json() as { agent: string }[];

  expect(good.json() as ModelTestReport).toMatchObject({ ok: true, text: "ready", usd: 0 });
  expect(bad.code).toBe(1);
  expect(bad.json()).toMatchObject({ ok: false, error: { code: "ENOENT" } });
  expect(keyless.stdout).toContain("hint: set it with: aos configure --provider openai");
  expect(processes.filter((one) => one.agent === "model-test")).toHaveLength(5);
});

test("model ls has what is configured, what was used and, with --all, what is known", async () => {
  const mine = await listed();
  const all = await listed("--all");

  expect(mine.map(({ model }) => model)).toEqual(["lab/*", "lab/fake", "openai/gpt-5-mini"]);
  expect(mine[1]).toEqual({
    model: "lab/fake",
    provider: "lab",
    source: "used",
    window: null,
    maxOutputTokens: null,
    price: expect.objectContaining({ input: 0, output: 0 }),
    egress: false,
    fallback: [],
    key: { name: "LAB_API_KEY", isSet: true },
    slots: expect.objectContaining({ running: 0, queued: 0, p50Ms: expect.any(Number) }),
  });
  const known = all.find(({ provider }) => provider === "anthropic");
  expect(known).toMatchObject({
    source: "known",
    price: { date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    key: { name: "ANTHROPIC_API_KEY", isSet: false },
  });
});

test("config.yaml is read again when it changes, and the log says what changed and what waits", async () => {
  changed("    type: openai-compatible", "    concurrency: 3\n    type: openai-compatible");
  await expect
    .poll(async () => (await listed()).find(({ model }) => model === "lab/fake")?.slots?.limits, {
      timeout: 120_000,
    })
    .toMatchObject({ concurrency: 3 });
  changed("log: { level: debug }", "limits: { spawnDepth: 4 }\nlog: { level: debug }");
  const log = () => readFileSync(join(home.folder, "daemon.log"), "utf8");
  await expect.poll(log, { timeout: 120_000 }).toContain('"settings":["limits"]');
  changed("concurrency: 3", "concurrency: many");
  await expect.poll(log, { timeout: 120_000 }).toContain("the previous settings stay in force");

  expect(log()).toContain("provider lab changed");
  expect((await listed()).find(({ model }) => model === "lab/fake")?.slots?.limits).toMatchObject({
    concurrency: 3,
  });
  changed("concurrency: many", "concurrency: 3");
});

test("SIGHUP reads config.yaml again, also where nobody could see that it changed", async () => {
  const file = join(home.folder, "config.yaml");
  utimesSync(file, 1e9, 1e9);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  changed("concurrency: 3", "concurrency: 4");
  utimesSync(file, 1e9, 1e9);

  process.kill(daemonPid(home.folder) ?? 0, "SIGHUP");

  await expect
    .poll(async () => (await listed()).find(({ model }) => model === "lab/fake")?.slots?.limits, {
      timeout: 120_000,
    })
    .toMatchObject({ concurrency: 4 });
});

test("after kill -9 the provider and its key are still there, and the key is in no file", async () => {
  const ran = await home.aos("run", "writer", "write");
  await killDaemon(home.folder);

  const again = await home.aos("run", "writer", "write");
  await home.aos("down");

  expect(ran.stdout).toBe("ready\n");
  expect(again.stdout).toBe("ready\n");
  expect(server.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(filesWith("# ours")).toHaveLength(1);
  expect(filesWith(KEY)).toEqual([]);
});

test("a recorded run says where, and plays again with no server", async () => {
  const recorded = await home.aos("run", "recorder", "write");
  const [, name] = /scripted\/(\S+) replays them/.exec(recorded.stderr) ?? [];
  const asked = server.asked.length;
  writeFileSync(join(home.folder, "agents", "player.yaml"), agent(`scripted/${name}`));

  const played = await home.aos("run", "player", "write");

  expect(recorded.stdout).toBe("ready\n");
  expect(recorded.stderr).toContain(join(home.folder, "recordings", `${name}.yaml`));
  expect(played.stdout).toBe("ready\n");
  expect(server.asked).toHaveLength(asked);
});

test("model add writes a provider that needs no key", async () => {
  const place = ["--type", "openai-compatible", "--base-url", server.url];
  const added = await home.aos("model", "add", "box", ...place);
  const unknown = await home.aos("model", "add", "nobody");

  expect(added.code).toBe(0);
  expect((await listed()).find(({ model }) => model === "box/*")?.key).toBeNull();
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("give its --type");
});

test("top prints one picture where there is no terminal, and one object for programs", async () => {
  const once = await home.aos("top");
  const json = (await home.aos("top", "-o", "json")).json() as Record<string, unknown>;

  expect(once.stdout).toContain("start queue: critical 0");
  expect(once.stdout).toMatch(/^lab\/fake +0 +0 +4 /m);
  expect(json).toMatchObject({ processes: [], queue: { running: 0 }, models: expect.any(Array) });
});
