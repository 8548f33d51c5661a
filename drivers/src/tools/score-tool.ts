// eval.score: runs a program that scores a run of an evaluation.
//
// SCORE-TOOL-1  It runs in the sandbox only, without network and without a workspace: it sees the files of its scorer, read
//     only, and what it is told on standard input. Without a sandbox that is enforced it does not run.
// SCORE-TOOL-2  What it prints last is the score, from 0 to 1: a number, or {"score": …, "reason": …}. Anything else is an
//     error, and no score.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type DeviceContext, type Json, type JsonObject, SysError } from "@aos/protocol";
import { z } from "zod";
import { describeReport } from "../sandbox/index.ts";
import { toolchainFor } from "./build/toolchain.ts";
import { defineTool } from "./define-tool.ts";
import { type ProgramRunner, runInSandbox } from "./program-runner.ts";
import { programName } from "./shell/program-name.ts";
import { programResult } from "./shell/program-result.ts";

const FOLDER = "/score";
const MOST_REASON = 4000;
const MEMORY_BYTES = 1024 * 1024 * 1024;
const PLAIN_PATH = /^(?!.*(^|\/)\.{1,2}(\/|$))[^/\0][^\0]*$/;

const input = z.strictObject({
  cell: z.number().int().nonnegative(),
  scorer: z.string().max(40),
  command: z.array(z.string().max(1000)).min(1).max(50),
  files: z.record(z.string().regex(PLAIN_PATH, "a path in the folder of the scorer"), z.string()),
  input: z.unknown(),
  timeoutMs: z.number().int().positive().max(3_600_000),
});

export const createScoreTool = (runner: ProgramRunner) =>
  defineTool({
    name: "eval.score",
    version: "1",
    description:
      "Run the program of a scorer in the sandbox, without network: it reads a run as JSON from standard input and prints a score.",
    tags: ["evaluation"],
    input,
    effect: "read",
    sinks: [],
    sandbox: "process",
    touches: ({ command }) => [
      { kind: "shell", resource: programName(command[0]!, FOLDER), verb: "exec" },
    ],
    run: async ({ command, files, input: told, timeoutMs }, context) => {
      const { level, holds } = (await runner.sandbox()).report;
      if (level === "none" || holds.fs !== "enforced" || holds.net !== "enforced")
        throw new SysError(
          "EACCES",
          `a scorer's program runs in a sandbox only (${describeReport((await runner.sandbox()).report)})`,
          { hint: "set up a sandbox (see `aos doctor`), or use another scorer" },
        );
      // The inner one is open to the user of the sandbox, the outer one to nobody else on the machine.
      const own = mkdtempSync(join(tmpdir(), "aos-score-"));
      const folder = join(own, "score");
      try {
        mkdirSync(folder, { mode: 0o755 });
        for (const [path, text] of Object.entries(files)) {
          mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o755 });
          writeFileSync(join(folder, path), text, { mode: 0o644 });
        }
        return await scoredBy(runner, context, { command, folder, told, timeoutMs });
      } finally {
        rmSync(own, { recursive: true, force: true });
      }
    },
  });

/** SCORE-TOOL-1. */
async function scoredBy(
  runner: ProgramRunner,
  context: DeviceContext,
  asked: {
    readonly command: readonly string[];
    readonly folder: string;
    readonly told: unknown;
    readonly timeoutMs: number;
  },
): Promise<Json> {
  const { command, folder, told, timeoutMs } = asked;
  const toolchain = toolchainFor(command[0]!);
  const result = programResult(
    await runInSandbox(runner, context, {
      name: "eval.score",
      command,
      folder: FOLDER,
      input: JSON.stringify(told),
      env: { PATH: toolchain.path },
      isOnline: false,
      mounts: [...toolchain.mounts, { from: folder, at: FOLDER, mode: "read" }],
      limits: { wallMs: timeoutMs, memoryBytes: MEMORY_BYTES },
    }),
  );
  return readScore(result);
}

/** What shell.execute answers. */
interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly limit?: string | null;
}

/** SCORE-TOOL-2. */
export function readScore(result: JsonObject): JsonObject {
  const { code, stdout, stderr, limit } = result as unknown as ProgramResult;
  if (code !== 0)
    return { score: null, reason: `exit code ${code}: ${limit ?? stderr.trim().slice(-500)}` };
  const last = stdout.trim().split("\n").at(-1) ?? "";
  const value = parsedScore(last);
  if (value === undefined)
    return { score: null, reason: `its last line is no score from 0 to 1: ${last.slice(0, 200)}` };
  return value;
}

function parsedScore(line: string): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const given = typeof value === "object" && value !== null ? value : { score: value };
  const { score, reason = "" } = given as { score?: unknown; reason?: unknown };
  if (typeof score !== "number" || !(score >= 0 && score <= 1)) return undefined;
  return { score, reason: String(reason).slice(0, MOST_REASON) };
}
