// turn: what one turn of an agent costs beside its model and its tool, against the AI SDK's own loop and
// LangGraph's agent, asking the same server over HTTP (peers/turn-server.mjs), which answers at once.
//
//   npm run bench -- turn                                 all of them, three passes
//   npm run bench -- turn --only ours,ai-sdk --passes 1   the short form
//   npm run bench -- turn --beside CHECKOUT               ours of another checkout too, in turn (`before`)
//
//   ours                the `agent` program on a kernel with a SQLite file, the provider's driver, the shipped
//                       policy, a key that is a secret, a budget of money: durable as a daemon is
//   ai-sdk, langgraph   their loops as they come: nothing is kept
//   aiSdkStream         streamText, which streams as ours does
//   mastra              Mastra's agent without memory: nothing is kept, and its requests are streamed
//   langgraphDurable    with its SQLite saver
//
// A task is 20 calls of a tool that returns its arguments, and an answer; a turn is one of its 21 requests.
// What is reported is the time per turn, from the question to the answer, less that of the same requests
// sent with a bare `fetch` (peers/turn-timing.mjs). `us` is by the clock on the wall, `cpuUs` what the
// processor spent. With 50 agents `us` is the time of all divided by all turns.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createProvider } from "../drivers/src/index.ts";
import { echo } from "../drivers/src/tools/echo.ts";
import { bootKernel, type Kernel } from "../kernel/src/index.ts";
import type { ManifestText } from "../protocol/src/index.ts";
import { programs } from "../userland/src/index.ts";
import { inChild } from "./child.ts";
import { benchFolder, median, quantile, round } from "./measure.ts";
import { runPeer } from "./peers/run.mjs";
import { listen, timeTurns, type TurnFigures } from "./peers/turn-timing.mjs";
import { KEY, MODEL, QUESTION, SYSTEM, TURNS } from "./peers/turn-work.mjs";

/** What is said to a model on this machine is nothing that anybody outside sees, and waits for no disk. */
const VENDOR = "https://models.example";

/** Those that are compared are measured so often, in turn: other work on the machine is then everybody's. */
const PASSES = 3;
/** Of the AI SDK's processor time. */
const WANTED = { at1: 3, at50: 1.3 };

const manifest: ManifestText = {
  apiVersion: "aos/v1",
  kind: "Agent",
  name: "clerk",
  model: `bench/${MODEL}`,
  system: SYSTEM,
  tools: ["echo"],
  capabilities: [`model:bench/${MODEL}:infer`, "tool:echo:call"],
  budget: { usd: 5 },
};

/** What is known of the models that people use. */
const known = {
  price: { input: 3, output: 15, date: "2026-01-01", source: "the bench" },
  window: 200_000,
  maxOutputTokens: 64_000,
};

export async function runTurn({ origin }: { origin: string }): Promise<TurnFigures> {
  const folder = benchFolder();
  mkdirSync(join(folder, "audit"));
  const wire = listen();
  const kernel = await bootKernel({
    store: { file: join(folder, "aos.db") },
    auditFolder: join(folder, "audit"),
    keyFile: join(folder, "key"),
    secretKeyFile: join(folder, "secret-key"),
    programs,
    tools: [echo],
    models: [
      createProvider({
        name: "bench",
        type: "openai-compatible",
        baseUrl: `${VENDOR}/v1`,
        keySecret: "BENCH_KEY",
        models: { [MODEL]: known },
        fetch: (url, init) => wire.fetch(atServer(url as URL, origin), init),
      }),
    ],
    onTrouble: (what, error) => console.error(what, error),
  });
  const header = { kind: "header", origin: VENDOR, header: "authorization", prefix: "Bearer " };
  try {
    await kernel.setSecret({ name: "BENCH_KEY", value: KEY, bindings: [header] }, "bench");
    return await timeTurns(() => solve(kernel), wire);
  } finally {
    await kernel.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const atServer = ({ pathname }: URL, origin: string): URL => new URL(pathname, origin);

async function solve(kernel: Kernel): Promise<unknown> {
  const pid = await kernel.spawn({ manifest, input: QUESTION });
  const { output, ...ending } = await kernel.wait(pid);
  return output ?? ending;
}

type Size = keyof TurnFigures;

type Systems = Record<string, (origin: string) => Promise<TurnFigures>>;

/** Each system, by its key in the result. */
const compared: Systems = {
  ours: (origin) => inChild<TurnFigures>("turn", { origin }),
  "ai-sdk": (origin) => peer("turn-ai-sdk", origin, "whole"),
  langgraph: (origin) => peer("turn-langgraph", origin, "bare"),
};
const alsoSeen: Systems = {
  aiSdkStream: (origin) => peer("turn-ai-sdk", origin, "stream"),
  mastra: (origin) => peer("turn-mastra", origin, "whole"),
  langgraphDurable: (origin) => peer("turn-langgraph", origin, "durable"),
};

async function peer(name: string, origin: string, way: string): Promise<TurnFigures> {
  const said = (await runPeer(name, { origin, way })) as { figures?: TurnFigures; error?: string };
  if (said.figures === undefined) throw new Error(`${name}: ${said.error}`);
  return said.figures;
}

/** What is to be run, and how often: those that are compared, and in the first pass the others. */
function plan(args: readonly string[]): { passes: number; systems: (pass: number) => Systems } {
  const { only, passes, beside } = parseArgs({ args: [...args], options, strict: false })
    .values as Record<keyof typeof options, string | undefined>;
  const count = passes === undefined ? PASSES : Number(passes);
  if (!Number.isInteger(count) || count < 1) throw new Error("--passes must be a number from 1 up");
  const before: Systems =
    beside === undefined
      ? {}
      : { before: (origin) => inChild<TurnFigures>("turn", { origin }, beside) };
  const all = { ...compared, ...before, ...alsoSeen };
  const chosen = only?.split(",");
  const unknown = chosen?.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined)
    throw new Error(`--only: there is no ${unknown} among ${Object.keys(all).join(", ")}`);
  const isChosen = (name: string) => chosen === undefined || chosen.includes(name);
  const systems = (pass: number): Systems =>
    Object.fromEntries(
      Object.entries(pass === 0 ? all : { ...compared, ...before }).filter(([name]) =>
        isChosen(name),
      ),
    );
  return { passes: count, systems };
}

const text = { type: "string" } as const;
const options = { only: text, passes: text, beside: text };

export async function turn(args: readonly string[] = []): Promise<Record<string, unknown>> {
  const { passes, systems } = plan(args);
  const server = await startServer();
  const seen: Record<string, TurnFigures[]> = {};
  try {
    for (let pass = 0; pass < passes; pass++)
      for (const [name, measure] of Object.entries(systems(pass)))
        (seen[name] ??= []).push(await measure(server.origin));
  } finally {
    server.close();
  }
  const of = (name: string) => ({
    at1: overhead(seen[name]!, "at1"),
    at50: overhead(seen[name]!, "at50"),
  });
  const figures = Object.fromEntries(Object.keys(seen).map((name) => [name, of(name)]));
  const { ours, before, "ai-sdk": aiSdk } = figures;
  const beside = (one: typeof ours) =>
    one === undefined || aiSdk === undefined
      ? undefined
      : { at1: ratio(one.at1, aiSdk.at1), at50: ratio(one.at50, aiSdk.at50) };
  return {
    ...figures,
    ratio: beside(ours),
    ...(before === undefined ? {} : { ratioBefore: beside(before) }),
    limits: { cpuRatio: WANTED },
    turns: TURNS,
    unit: "µs of overhead per turn; bare: the same requests alone, which is taken off; ratio: ours / ai-sdk",
  };
}

interface Spread {
  readonly median: number;
  readonly p95: number;
  /** What was taken off. */
  readonly bare: number;
}
type Overhead = Record<"us" | "cpuUs", Spread>;

function overhead(passes: readonly TurnFigures[], size: Size): Overhead {
  const spread = (measure: "us" | "cpuUs"): Spread => {
    const over = passes.flatMap(({ [size]: { whole, bare } }) =>
      whole[measure].map((each) => each - median(bare[measure])),
    );
    const floors = passes.flatMap(({ [size]: { bare } }) => bare[measure]);
    return {
      median: round(median(over)),
      p95: round(quantile(over, 0.95)),
      bare: round(median(floors)),
    };
  };
  return { us: spread("us"), cpuUs: spread("cpuUs") };
}

const ratio = (ours: Overhead, theirs: Overhead) => ({
  us: round(ours.us.median / theirs.us.median, 2),
  cpuUs: round(ours.cpuUs.median / theirs.cpuUs.median, 2),
});

async function startServer(): Promise<{ origin: string; close: () => void }> {
  const script = fileURLToPath(new URL("./peers/turn-server.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { origin: line.toString().trim(), close: () => child.stdin.end() };
}
