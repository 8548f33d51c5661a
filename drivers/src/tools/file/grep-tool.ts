// file.grep: finds lines with a text, or that match an expression, in the files below a folder.
//
// GREP-TOOL-1  An expression runs in its own thread with a time limit, so that a slow one blocks no other call.
// GREP-TOOL-2  Each file is opened with the checks of open-checked.ts. Files that the gate does not permit are
//     skipped and counted, because recording each refusal would fill the journal.
// GREP-TOOL-3  The labels of all searched files count: the call touches the folder.

import { type DeviceContext, type Json, SysError } from "@aos/protocol";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { Folder } from "../../workspace/folder.ts";
import { walkTree } from "../../workspace/walk.ts";
import { defineTool } from "../define-tool.ts";
import type { ProgramRunner } from "../program-runner.ts";
import { fileTouch } from "./file-args.ts";
import { type FileLocation, atLocation } from "./file-location.ts";
import { withFile, withFolder } from "./open-checked.ts";
import { folderPath } from "./path-text.ts";
import { readFileBytes } from "./text.ts";

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 20_000;
const MAX_LINE_CHARS = 500;
const TIME_MS = 10_000;

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

interface GrepArgs {
  readonly path: string;
  readonly pattern: string;
  readonly isExpression: boolean;
  readonly ignoreCase: boolean;
  readonly names: string | undefined;
  readonly limit: number;
}

export const createGrepTool = (runner: ProgramRunner) =>
  defineTool({
    name: "file.grep",
    version: "1",
    description:
      "Find lines with a text, or that fit a regular expression, in the files below a folder. Gives `matches` with `path`, `line` and `text`; `cut` when there are more.",
    tags: ["file", "search", "text", "code"],
    input: z.strictObject({
      path: folderPath,
      text: z.string().min(1).max(10_000).optional().describe("The text as it is."),
      expression: z.string().min(1).max(10_000).optional().describe("A JavaScript expression."),
      ignoreCase: z.boolean().default(false),
      names: z.string().max(200).optional().describe("Only files whose name fits, e.g. *.ts"),
      limit: z.number().int().positive().max(10_000).default(200),
    }),
    effect: "read",
    sinks: () => [],
    touches: ({ path }) => [fileTouch("list", path), fileTouch("read", path)],
    run: ({ text, expression, names, ...rest }, context) => {
      if ((text === undefined) === (expression === undefined))
        throw new SysError("EINVAL", "file.grep: give either a text or an expression");
      const pattern = text ?? expression!;
      const isExpression = expression !== undefined;
      const request = { ...rest, names, pattern, isExpression };
      return atLocation(runner, context, [rest.path], (place) => grep(place, context, request));
    },
  });

async function grep(
  place: FileLocation,
  context: Pick<DeviceContext, "permits" | "signal">,
  request: GrepArgs,
): Promise<Json> {
  const files = await filesBelow(place, request);
  await using matcher = new Matcher(request);
  const matches: Match[] = [];
  const passed = { refused: 0, binary: 0, large: 0 };
  for (const path of files) {
    context.signal.throwIfAborted();
    if (matches.length > request.limit) break;
    if (!context.permits(fileTouch("read", path))) {
      passed.refused += 1; // GREP-TOOL-2
      continue;
    }
    const text = await contentOf(place, path);
    if (typeof text !== "string") passed[text.why] += 1;
    else matches.push(...(await matcher.linesOf(text)).map((found) => ({ path, ...found })));
  }
  return {
    matches: matches.slice(0, request.limit).map((match) => ({ ...match })),
    cut: matches.length > request.limit,
    files: files.length,
    passedOver: passed,
  };
}

/** Paths as the agent names them, in order. */
function filesBelow(place: FileLocation, { path, names }: GrepArgs): Promise<string[]> {
  const fits = names === undefined ? () => true : nameMatcher(names);
  return withFolder(place.machine(path), "list", place.gate, async (opened, real) => {
    await using folder = await Folder.open(opened);
    const { entries } = await walkTree(folder, {
      maxEntries: MAX_FILES * 5,
      takes: (_path, { kind }) => kind !== "link",
    });
    const found = [...entries]
      .filter(([name, { kind }]) => kind === "file" && fits(name.split("/").at(-1)!))
      .map(([name]) => `${place.agent(real)}/${name}`);
    if (found.length <= MAX_FILES) return found;
    throw new SysError("EINVAL", `${path} has more than ${MAX_FILES} files`, {
      hint: "search a smaller folder, or restrict the file names",
    });
  });
}

/** A star for anything, and nothing else special; in linear time. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  const parts = pattern.split("*");
  return (name) => {
    if (parts.length === 1) return name === pattern;
    const [first = "", ...rest] = parts;
    const last = rest.pop()!;
    if (!name.startsWith(first) || name.length < first.length + last.length) return false;
    if (!name.endsWith(last)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0 || found + part.length > name.length - last.length) return false;
      at = found + part.length;
    }
    return true;
  };
}

async function contentOf(
  place: FileLocation,
  path: string,
): Promise<string | { why: "binary" | "large" | "refused" }> {
  try {
    return await withFile(place.machine(path), "read", FREE, async (file) => {
      const bytes = await readFileBytes(file, 0, MAX_FILE_BYTES + 1);
      if (bytes.length > MAX_FILE_BYTES) return { why: "large" as const };
      if (bytes.subarray(0, 8192).includes(0)) return { why: "binary" as const };
      return bytes.toString("utf8");
    });
  } catch (error) {
    if (error instanceof SysError) return { why: "refused" }; // gone, or not as it was
    throw error;
  }
}

/** It was permitted by name, is no link, and is opened by descriptor; the folder is what is recorded. */
const FREE = { authorize: () => {} };

const WORKER = `
const { parentPort, workerData: { pattern, isExpression, ignoreCase, most } } = require("node:worker_threads");
const escaped = isExpression ? pattern : pattern.replace(/[.*+?^\${}()|[\\]\\\\]/g, "\\\\$&");
const expression = new RegExp(escaped, ignoreCase ? "iu" : "u");
parentPort.on("message", (text) => {
  const found = [];
  const lines = text.split("\\n");
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i].endsWith("\\r") ? lines[i].slice(0, -1) : lines[i];
    if (expression.test(line)) found.push({ line: i + 1, text: line.slice(0, most) });
  }
  parentPort.postMessage(found);
});
`;

/** GREP-TOOL-1. */
class Matcher implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #until = Date.now() + TIME_MS;

  constructor({ pattern, isExpression, ignoreCase }: GrepArgs) {
    if (isExpression) mustCompile(pattern);
    this.#worker = new Worker(WORKER, {
      eval: true,
      workerData: { pattern, isExpression, ignoreCase, most: MAX_LINE_CHARS },
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
  }

  linesOf(text: string): Promise<Omit<Match, "path">[]> {
    return new Promise((resolve, reject) => {
      const late = () =>
        reject(
          new SysError("ETIMEDOUT", `the search took longer than ${TIME_MS} ms`, {
            hint: "search a smaller folder; nested repetitions such as (a+)+ may never end",
          }),
        );
      const timer = setTimeout(late, Math.max(1, this.#until - Date.now()));
      const over = (act: () => void) => {
        clearTimeout(timer);
        this.#worker.off("message", found).off("error", failed);
        act();
      };
      const found = (lines: Omit<Match, "path">[]) => over(() => resolve(lines));
      const failed = (error: Error) => over(() => reject(error));
      this.#worker.once("message", found).once("error", failed);
      this.#worker.postMessage(text);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}

function mustCompile(expression: string): void {
  try {
    void new RegExp(expression, "u");
  } catch (error) {
    throw new SysError("EINVAL", `file.grep: ${(error as Error).message}`);
  }
}
