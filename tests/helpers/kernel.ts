// A kernel for tests: fakes for everything outside it, a store in a folder of its own, and at the end
// of every test three promises kept for whatever the test did: each run that ended replays byte for byte,
// the audit finds nothing, and the slow reference of the gate's decision agrees (tests/reference).
//
//   const { kernel, runs, again, crash } = await bootForTest({ programs: { echo } });
//   await again()      stops it cleanly and boots a new one from the same file
//   await crash()      boots a new one from what is on the disk now, as after `kill -9`

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import {
  isEnded,
  type Json,
  type JournalRecord,
  type ModelDriver,
  type Program,
  type ProgramDriver,
  type RunningProgram,
  type Sys,
  type Tool,
} from "@aos/protocol";
import { expect, onTestFinished } from "vitest";
import { localProgram } from "@aos/kernel/parts";
import { checkReference, Dynasty } from "./reference.ts";

/** One run of a fake tool, as the tool saw it. */
interface Run {
  readonly tool: string;
  readonly args: Json;
  readonly key: string;
  readonly signal: AbortSignal;
  /** Lets a run that is held end. */
  readonly release: () => void;
}

export interface Booted {
  readonly kernel: Kernel;
  /** The database. */
  readonly file: string;
  /** What the fake tools did, in all boots of this test. */
  readonly runs: Run[];
  readonly again: (options?: BootOptions) => Promise<Booted>;
  readonly crash: (options?: BootOptions) => Promise<Booted>;
}

/** A program that may return anything: what is not JSON is for the kernel to refuse. */
type TestProgram = (sys: Sys, input: Json, state?: Json) => Promise<unknown>;

type BootOptions = Omit<KernelOptions, "programs" | "store"> & {
  readonly programs?: Readonly<Record<string, TestProgram>>;
};

export async function bootForTest(options: BootOptions = {}): Promise<Booted> {
  const folder = mkdtempSync(join(tmpdir(), "aos-kernel-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return boot(join(folder, "aos.db"), options, []);
}

async function boot(
  file: string,
  options: BootOptions,
  runs: Run[],
  earlier?: Dynasty,
): Promise<Booted> {
  const tools = [...fakeTools(runs), ...(options.tools ?? [])];
  const { models = [fakeModel], policy } = options;
  const dynasty = new Dynasty({ tools, models, policy }, earlier);
  const kernel = await bootKernel({
    models,
    ...(options as KernelOptions),
    tools,
    store: { file },
    onTrouble: options.onTrouble ?? (() => {}),
  });
  dynasty.follow(kernel);
  let isOpen = true;
  const close = async () => {
    isOpen = false;
    await kernel.close();
  };
  onTestFinished(async () => {
    if (!isOpen) return;
    await checkEverything(kernel);
    await checkReference(kernel, dynasty.reigns, dynasty);
    await close();
  });
  return {
    kernel,
    file,
    runs,
    again: async (changed = {}) => {
      await close();
      return boot(file, { ...options, ...changed }, runs, dynasty);
    },
    crash: async (changed = {}) => {
      const copy = `${file}.${Math.random().toString(36).slice(2)}`;
      for (const part of ["", "-wal"])
        if (existsSync(`${file}${part}`)) copyFileSync(`${file}${part}`, `${copy}${part}`);
      await close(); // from here on it is dead: nothing that it still writes is seen by the copy
      return boot(copy, { ...options, ...changed }, runs, dynasty);
    },
  };
}

/** Every run that ended replays byte for byte, and every record is what was written. */
async function checkEverything(kernel: Kernel): Promise<void> {
  const ended = (await kernel.list({ limit: 10_000 })).filter(({ state }) => isEnded(state));
  for (const { pid } of ended) {
    if ((await kernel.show(pid)).error?.code === "REPLAY_DIVERGED") continue; // says itself that it cannot
    const { identical, difference } = await kernel.replay(pid);
    expect({ pid, identical, difference }).toEqual({ pid, identical: true, difference: null });
  }
  const { findings } = await kernel.verify();
  expect(findings).toEqual([]);
}

/** What a fake tool is asked to do beside being run. */
interface Wish {
  readonly ms?: number;
  readonly fail?: string;
  /** Never ends by itself. */
  readonly hang?: boolean;
  /** Ends when the test releases it. */
  readonly hold?: boolean;
  readonly give?: Json;
}

/** `look`, `set` and `pay`: one tool of each effect. Their results are trusted and public. */
function fakeTools(runs: Run[]): Tool[] {
  const tool = (name: string, effect: Tool["effect"]): Tool => ({
    name,
    effect,
    version: "1",
    description: `a fake with the effect ${effect}`,
    input: {},
    label: { integrity: "trusted", secrecy: "public" },
    touches: () => [],
    run: async (args, { key, signal }) => {
      const held = Promise.withResolvers<void>();
      runs.push({ tool: name, args, key, signal, release: held.resolve });
      const { ms, fail, hang, hold, give = "done" } = (args ?? {}) as Wish;
      if (hang === true) await new Promise(() => {});
      if (hold === true) await held.promise;
      if (ms !== undefined) await sleepMs(ms);
      if (fail !== undefined) throw new Error(fail);
      return give;
    },
  });
  return [tool("look", "read"), tool("set", "idempotent"), tool("pay", "external")];
}

/** Costs half of what it might: 0.01 dollars and 100 tokens at worst. */
const fakeModel: ModelDriver = {
  provider: "fake",
  egress: true,
  worstCase: () => ({ usd: 0.01, tokens: 100 }),
  infer: async ({ messages }) => ({
    text: `echo ${messages.at(-1)?.content ?? ""}`,
    toolCalls: [],
    finish: "stop",
    usage: { inputTokens: 20, outputTokens: 30 },
    usd: 0.005,
  }),
};

export const TOOLS = ["tool:look:call", "tool:set:call", "tool:pay:call"];

/** A driver for programs that are killed: each start dies after so many deliveries, the last one lives. */
export function mortal(program: TestProgram, deaths: number[]): ProgramDriver {
  return {
    start: (start, listener) => {
      const dieAfter = deaths.shift() ?? Infinity;
      let told = 0;
      const inner: RunningProgram = localProgram(program as Program, "program").start(
        start,
        listener,
      );
      const die = () => {
        void inner.stop();
        setImmediate(() => listener.ended({ kind: "crashed", reason: "killed by the test" }));
      };
      if (dieAfter === 0) setImmediate(die);
      return {
        deliver: (what) => {
          inner.deliver(what);
          if (++told === dieAfter) die();
        },
        stop: () => inner.stop(),
      };
    },
  };
}

export const sleepMs = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Asks again until it is so. */
export async function until(isSo: () => boolean | Promise<boolean>, what = "it"): Promise<void> {
  for (const since = Date.now(); !(await isSo()); await sleepMs(5))
    if (Date.now() - since > 120_000) throw new Error(`${what} did not come about`);
}

/** The code that a call fails with, or `ok`. For programs: what it returns is journaled. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    (error: { code?: string }) => error.code ?? "?",
  );

/** The calls of a journal, each with what it came to. */
export const callsOf = (records: readonly JournalRecord[]): string[] =>
  records.flatMap((record) =>
    record.kind === "call" ? [`${record.call} ${record.err?.code ?? "ok"}`] : [],
  );

export const kindsOf = (records: readonly JournalRecord[]): string[] =>
  records.map((record) => record.kind);

export const manifest = (name: string, more: Record<string, unknown> = {}) =>
  ({ apiVersion: "aos/v1", kind: "Agent", name, program: name, ...more }) as never;
