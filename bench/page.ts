// page: the page in Chromium over a daemon: how long a run of 50,000 records takes to open and how its frames come
// while it is scrolled; what 10,000 live runs with 200 updates a second cost the page; what a first load transfers.
//
// Milliseconds are by the clock; `busy` is the part of a core that the page's main thread used, `frameMs` what a frame
// cost it: on a machine with other work those are the ones to look at.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { chromium, type CDPSession, type Page } from "playwright-core";
import { findChromium } from "../drivers/src/index.ts";
import { bootKernel } from "../kernel/src/index.ts";
import type { ModelDriver, Sys } from "../protocol/src/index.ts";
import { buildDashboard } from "../scripts/build-dashboard.ts";
import { inChild } from "./child.ts";
import { ask, startDaemon, type BenchDaemon } from "./daemon.ts";
import { homeOptions } from "./many-home.ts";
import { payloadOf, quantile, round, stepCapabilities, stepTool } from "./measure.ts";

const RECORDS = 50_000;
const LIVE = 10_000;
const UPDATES_A_SECOND = 200;
/** Records of a turn: an answer and a call, the intent and the outcome of each. */
const RECORDS_A_TURN = 4;
const WORKERS = 200;
const SPAWNED_AT_ONCE = 200;
const MEASURED_MS = 20_000;
const SCROLLS = 150;

/** The others wait for their model all the time. */
const agent = (name: string) =>
  `{ apiVersion: aos/v1, kind: Agent, name: ${name}, model: scripted/${name}, tools: [echo], capabilities: ["model:*:infer", "tool:echo:call"] }\n`;
const script = (delayMs: number) =>
  `turns: []\notherwise: { call: [{ tool: echo, args: { text: on } }], delayMs: ${delayMs} }\n`;
const files = {
  "config.yaml": `http: { rate: { perSecond: 100k, burst: 100k } }
log: { level: warn }
models: { "scripted/*": { concurrency: 10k } }
`,
  "agents/worker.yaml": agent("worker"),
  "agents/waiter.yaml": agent("waiter"),
  "scripts/worker.yaml": script((WORKERS * RECORDS_A_TURN * 1000) / UPDATES_A_SECOND),
  "scripts/waiter.yaml": script(3_600_000),
};

const parrot: ModelDriver = {
  provider: "echo",
  egress: false,
  worstCase: () => ({ usd: 0, tokens: 10 }),
  infer: async () => ({
    text: payloadOf(200, 1),
    toolCalls: [{ id: "1", tool: "bench.step", args: {} }],
    finish: "tool",
    usage: { inputTokens: 5, outputTokens: 5 },
    usd: 0,
  }),
};

/** In a process of its own: a home with one ended run that asked a model and called a tool again and again. */
export async function runLongRun({ folder }: { folder: string }): Promise<string> {
  mkdirSync(join(folder, "audit"), { recursive: true, mode: 0o700 });
  const talker = async (sys: Sys) => {
    const messages = [{ role: "user" as const, content: "go on" }];
    for (let n = 0; n < RECORDS / RECORDS_A_TURN; n += 1) {
      await sys.infer({ model: "echo/here", messages });
      await sys.exec("bench.step", { payload: payloadOf(100, n) });
    }
    return "done";
  };
  const kernel = await bootKernel({
    ...homeOptions(folder),
    programs: { talker },
    tools: [stepTool],
    models: [parrot],
  });
  const pid = await kernel.spawn({
    agent: "talker",
    capabilities: [...stepCapabilities, "model:*:infer"],
  });
  await kernel.wait(pid);
  await kernel.close();
  return pid;
}

/** What the page's main thread did between two moments, of the seconds between them. */
async function busyWhile<T>(client: CDPSession, act: () => Promise<T>) {
  const metrics = async () => {
    const got = await client.send("Performance.getMetrics");
    return Object.fromEntries(got.metrics.map(({ name, value }) => [name, value]));
  };
  const before = await metrics();
  const result = await act();
  const after = await metrics();
  const spent = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
  return { result, taskMs: spent("TaskDuration") * 1000, wallMs: spent("Timestamp") * 1000 };
}

async function openLongRun(page: Page, client: CDPSession, address: string) {
  const from = performance.now();
  await page.goto(address);
  await page.getByText("Agent", { exact: true }).first().waitFor();
  const openMs = performance.now() - from;
  await page.getByText("Loading the earlier records").waitFor({ state: "detached" });
  return { openMs: round(openMs), wholeMs: round(performance.now() - from) };
}

/** Scrolls by the wheel, a page a step, and asks for the times of the frames. */
async function scroll(page: Page, client: CDPSession) {
  await page.evaluate(`globalThis.frames = []; globalThis.isOver = false;
    (function tick(at) { frames.push(at); if (!isOver) requestAnimationFrame(tick); })(performance.now())`);
  const { taskMs } = await busyWhile(client, async () => {
    for (let n = 0; n < SCROLLS; n += 1) await page.mouse.wheel(0, 800);
  });
  const times = (await page.evaluate("isOver = true, globalThis.frames")) as number[];
  const gaps = times.slice(1).map((at, n) => at - times[n]!);
  return {
    frames: times.length,
    frameMs: round(taskMs / times.length, 1),
    p50: round(quantile(gaps, 0.5), 1),
    p95: round(quantile(gaps, 0.95), 1),
  };
}

async function spawnLive(daemon: BenchDaemon): Promise<void> {
  for (let from = 0; from < LIVE; from += SPAWNED_AT_ONCE)
    await Promise.all(
      Array.from({ length: SPAWNED_AT_ONCE }, (_, n) =>
        ask(daemon, "/processes", {
          agent: n % (LIVE / WORKERS) === 0 ? "worker" : "waiter",
        }),
      ),
    );
}

export async function page(): Promise<Record<string, unknown>> {
  buildDashboard();
  let pid = "";
  const daemon = await startDaemon(files, async (folder) => {
    pid = await inChild<string>("page-run", { folder });
  });
  const browser = await chromium.launch({
    executablePath: findChromium()!,
    args: ["--no-sandbox"],
  });
  try {
    const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const client = await tab.context().newCDPSession(tab);
    await client.send("Performance.enable");
    let bytes = 0;
    tab.on("response", async (response) => {
      if (/\.(js|css|woff2|svg)$|\/$/.test(new URL(response.url()).pathname))
        bytes += gzipSync(await response.body().catch(() => Buffer.alloc(0))).length;
    });
    const { url } = await ask<{ url: string }>(daemon, "/session/key", {});
    await tab.goto(url);
    await tab.getByRole("status").getByText("Live").waitFor();
    const firstLoadKb = round(bytes / 1000);

    const opened = await openLongRun(tab, client, `${daemon.url}/runs/${pid}`);
    const conversation = await scroll(tab, client);
    await tab.goto(`${daemon.url}/runs/${pid}?view=timeline`);
    await tab.getByText("Loading the earlier records").waitFor({ state: "detached" });
    const timeline = await scroll(tab, client);
    await tab.goto(`${daemon.url}/runs/${pid}?view=journal`);
    await tab.getByText("Loading the earlier records").waitFor({ state: "detached" });
    const journal = await scroll(tab, client);

    await spawnLive(daemon);
    const from = performance.now();
    await tab.goto(`${daemon.url}/runs?show=live`);
    await tab.getByRole("link", { name: "waiter" }).first().waitFor();
    const listMs = round(performance.now() - from);
    while (!(await tab.getByText("in all").isVisible())) await tab.mouse.wheel(0, 20_000);
    const list = await scroll(tab, client);
    const { taskMs, wallMs } = await busyWhile(client, () => sleep(MEASURED_MS));
    return {
      records: RECORDS,
      live: LIVE,
      firstLoadKb,
      ...opened,
      scroll: { conversation, timeline, journal, list },
      listMs,
      busy: round(taskMs / wallMs, 3),
    };
  } finally {
    await browser.close();
    await daemon.close();
  }
}
