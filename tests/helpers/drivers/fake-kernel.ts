// Fake kernel: starts one foreign program for a test, in this machine's sandbox, answers its calls from a
// table and keeps what it heard. Programs are written to a folder that is gone after the test.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FailureText, Json, ProgramEnd, RunningProgram, SignalName } from "@aos/protocol";
import { fileURLToPath } from "node:url";
import { afterAll, onTestFinished } from "vitest";
import { createSandbox, type Sandbox } from "../../../drivers/src/sandbox/index.ts";
import {
  createForeignPrograms,
  type ForeignProgramOptions,
} from "../../../drivers/src/programs/foreign-programs.ts";

interface HeardCall {
  readonly id: number | string;
  readonly name: string;
  readonly args: Json;
}

/** What the kernel does with a call: a value is the answer, undefined is none. */
export type FakeResponder = (
  call: HeardCall,
  kernel: FakeKernel,
) => Json | { err: FailureText } | undefined;

export interface FakeKernel {
  readonly calls: HeardCall[];
  readonly ended: Promise<ProgramEnd>;
  readonly endings: ProgramEnd[];
  readonly stderr: () => string;
  readonly program: RunningProgram;
  readonly folder: string;
  signal(signal: SignalName): void;
  /** Resolves when it has called `name`. */
  called(name: string): Promise<HeardCall>;
}

export interface FakeProgramOptions {
  /** The text of the program, by the file's name; the first is run by its ending. */
  readonly files?: Record<string, string>;
  readonly command?: readonly string[];
  readonly folder?: string;
  readonly input?: Json;
  readonly state?: Json;
  readonly answer?: FakeResponder;
  readonly options?: Partial<ForeignProgramOptions>;
  /** It may write to its folder, so that what its children did can be seen. */
  readonly isWritable?: boolean;
}

let sandbox: Promise<Sandbox> | undefined;

/** One for a file of tests, which says `closeSandboxAfterwards()`. */
export const theSandbox = (): Promise<Sandbox> => (sandbox ??= createSandbox({}));

export function closeSandboxAfterwards(): void {
  afterAll(async () => {
    await (await sandbox)?.close();
    sandbox = undefined;
  });
}

export const libraries = [
  "sdk",
  "protocol",
  "node_modules/@aos",
  "node_modules/zod",
  "package.json",
].map((path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url)));

export function startProgram(run: FakeProgramOptions): FakeKernel {
  const folder = mkdtempSync(join(tmpdir(), "aos-program-"));
  chmodSync(folder, run.isWritable === true ? 0o777 : 0o755);
  for (const [name, text] of Object.entries(run.files ?? {})) {
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  const [main = ""] = Object.keys(run.files ?? {});
  const byEnding = [main.endsWith(".py") ? "python3" : "node", main];

  const calls: HeardCall[] = [];
  const endings: ProgramEnd[] = [];
  const ended = Promise.withResolvers<ProgramEnd>();
  const expected: { name: string; resolve: (call: HeardCall) => void }[] = [];
  let stderr = "";
  let inStart = true;

  const programs = createForeignPrograms({
    sandbox: theSandbox,
    libraries,
    ...(run.isWritable === true ? { mounts: [{ from: folder, mode: "write" }] } : {}),
    ...run.options,
    onStderr: (_pid, chunk) => (stderr += chunk),
  });
  const program = programs.start(
    {
      pid: "agt_test",
      input: run.input ?? null,
      ...(run.state === undefined ? {} : { state: run.state }),
      command: run.command ?? byEnding,
      folder: run.folder ?? folder,
    },
    {
      call(id, name, args) {
        if (inStart) throw new Error("called from inside start");
        const call = { id, name, args };
        calls.push(call);
        for (const waiter of expected) if (waiter.name === name) waiter.resolve(call);
        const answer = run.answer?.(call, kernel);
        if (answer === undefined) return;
        const told = isFailure(answer) ? answer : { ok: answer };
        program.deliver({ kind: "answer", id, ...told });
      },
      ended(end) {
        if (inStart) throw new Error("ended from inside start");
        endings.push(end);
        ended.resolve(end);
      },
    },
  );
  inStart = false;
  onTestFinished(async () => {
    await program.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  const kernel: FakeKernel = {
    calls,
    ended: ended.promise,
    endings,
    stderr: () => stderr,
    program,
    folder,
    signal: (signal) => program.deliver({ kind: "signal", signal }),
    called: (name) => {
      const made = calls.find((call) => call.name === name);
      if (made !== undefined) return Promise.resolve(made);
      return new Promise((resolve) => expected.push({ name, resolve }));
    },
  };
  return kernel;
}

const isFailure = (answer: Json | { err: FailureText }): answer is { err: FailureText } =>
  typeof answer === "object" && answer !== null && "err" in answer;

/** A Python program that says these lines as they are, then does `rest`. */
export const saying = (
  lines: readonly string[],
  rest = "sys.stdin.read()",
): FakeProgramOptions => ({
  files: {
    "say.py": `import sys, os, time, json
for line in ${JSON.stringify(lines)}: os.write(1, line.encode() + b"\\n")
${rest}
`,
  },
});

export const callLine = (id: number | string, method: string, params: Json = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
