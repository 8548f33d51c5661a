// The examples with a real provider: the same folders, `--model anthropic/…`, and a server that speaks the vendor's wire.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestHome, ROOT, type TestHome } from "./home.ts";

const MODEL = "anthropic/claude-sonnet-4-5";
const KEY = "sk-ant-0123456789-abcdefghij";

let home: TestHome;
let mock: LLMock;
let folder: string;

beforeAll(async () => {
  home = createTestHome({ AOS_HTTP: "off" });
  folder = mkdtempSync(join(tmpdir(), "aos-with-a-key-"));
  mock = new LLMock({ port: 0 });
  await mock.start();
  mkdirSync(home.folder, { mode: 0o700 });
  const price = `models:\n  ${MODEL}: { price: { input: 3, output: 15 } }\n`; // else no money can be reserved
  writeFileSync(join(home.folder, "config.yaml"), price, { mode: 0o600 });
  const place = ["--provider", "anthropic", "--base-url", `${mock.url}/v1`, "--key-stdin"];
  const words = ["configure", ...place, "--model", "claude-sonnet-4-5", "--no-test"];
  const configured = await home.aosWith({ stdin: `${KEY}\n` }, ...words);
  expect(configured.code, configured.stderr).toBe(0);
});
afterAll(async () => {
  await home.remove();
  await mock.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

/** What the model says where its system prompt and the last request have these words. */
const says = (systemMessage: string, userMessage: string, content: object) =>
  mock.on({ systemMessage, userMessage }, { content: JSON.stringify(content) });

async function begin(name: string, data: string, ...words: string[]): Promise<string> {
  const place = join(folder, name);
  cpSync(join(ROOT, "examples", name, data), place, { recursive: true });
  if (name === "review") {
    const git = (...all: string[]) =>
      execFileSync("git", ["-C", place, "-c", "user.name=a", "-c", "user.email=a@b", ...all]);
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    git("apply", join(ROOT, "examples/review/change.patch"));
  }
  await home.aos("trust", `examples/${name}`, "--yes");
  const started = await home.aos(
    "spawn",
    `examples/${name}`,
    "Do your work, on the ferry in winter.",
    "--dir",
    place,
    ...words,
    "--model",
    MODEL,
    "-o",
    "json",
  );
  expect(started.code, started.stderr).toBe(0);
  return (started.json() as { pid: string }).pid;
}

async function answered(pid: string, answer: string): Promise<unknown> {
  let id: string | undefined;
  await expect
    .poll(
      async () => {
        id = (await home.client.questions({}))[0]?.id;
        const { state, error } = await home.client.show({ pid });
        return id !== undefined || state === "completed" ? "asked" : JSON.stringify([state, error]);
      },
      { timeout: 120_000 },
    )
    .toBe("asked");
  const said = await home.aos("approve", id!, answer);
  expect(said.code, said.stderr).toBe(0);
  return ended(pid);
}

async function ended(pid: string): Promise<unknown> {
  const waited = await home.aos("wait", pid, "-o", "json");
  const report = waited.json() as { state: string; output: unknown };
  expect(report).toMatchObject({ state: "completed" });
  return report.output;
}

test("research", async () => {
  says("Copy the sentences", "timetable", { quotes: ["The ferry between Ostheim and Westbach"] });
  says("Copy the sentences", "operator", { quotes: [] });
  says("Copy the sentences", "any good", { quotes: ["it is closed for good"] });
  says("numbered sources", "ferry", { title: "The ferry", text: "There is a ferry [1]." });

  const output = await answered(await begin("research", "pages"), "approve");

  expect(output).toMatchObject({
    result: {
      published: "/work/site/the-ferry.md",
      left_out: ["3-forum.md: it is closed for good"],
    },
  });
  expect(readFileSync(join(folder, "research/site/the-ferry.md"), "utf8")).toContain(
    "[1] 1-timetable.md",
  );
});

test("review", async () => {
  const text = `export const total = (items) => items.reduce((sum, { price, count }) => sum + price * count, 0);
export const discounted = (items, percent) => total(items) * (1 - Math.min(percent, 100) / 100);
`;
  says("through one lens", "correctness", { findings: [{ line: "1", problem: "percent" }] });
  says("through one lens", "security", { findings: [] });
  says("through one lens", "tests", { findings: [] });
  says("three lenses found", "percent", {
    verdict: "fix",
    why: "percent",
    message: "cart: percent",
    path: "src/cart.mjs",
    text,
  });

  const pid = await begin("review", "project", "--cow");
  const output = await answered(pid, "commit");

  expect(output).toMatchObject({ result: { verdict: "fix", head: "cart: percent" } });
});

test("inbox, with the names of tools that the wire has", async () => {
  const call = (name: string, args: object) => ({
    toolCalls: [{ name, arguments: JSON.stringify(args) }],
  });
  mock.on(
    { systemMessage: "look after an inbox", toolResultContains: "/work/sent/hello.eml" },
    { content: "One mail was sent." },
  );
  mock.on(
    { systemMessage: "look after an inbox", toolResultContains: "1-ada.eml" },
    call("mail_send", {
      to: "ada@customers.example",
      subject: "Saturday",
      text: "We are open.",
      draft: "hello",
    }),
  );
  mock.on(
    { systemMessage: "look after an inbox", userMessage: "Do your work" },
    call("file_list", { path: "/work/mail" }),
  );

  const output = await answered(await begin("inbox", "desk", "--cow"), "approve");

  expect(output).toBe("One mail was sent.");
});

test("trading", async () => {
  const order = { side: "buy", symbol: "LAK", quantity: 1, reason: "why not" };
  says("You trade for a small desk", "2026-03-02", order);
  says("You trade for a small desk", "2026-03-03", { ...order, quantity: 2 });
  says("You trade for a small desk", "2026-03-04", { ...order, side: "hold" });
  says("You are the risk manager", "2026-03-02", { verdict: "allow", reason: "small" });
  says("You are the risk manager", "2026-03-03", { verdict: "veto", reason: "no" });

  const output = await ended(await begin("trading", "desk", "--cow"));

  expect(output).toMatchObject({ result: { books: { orders: 1, cash: 1000000 - 9100 } } });
});
