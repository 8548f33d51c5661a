// Program tools: tools that are a program of the machine and a file that says how to call it.

import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { canonicalText, type Json, type JsonObject, SysError, type Tool } from "@aos/protocol";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { programResult } from "../shell/program-result.ts";
import { isUndoable, runSinks } from "../shell/run-sinks.ts";
import { runInSandbox, type ProgramRunner } from "../program-runner.ts";
import { fillWords } from "./fill-words.ts";
import { type ProgramFile, readProgramFile } from "./program-file.ts";

/** Those that come with the system. */
export const SHIPPED = import.meta.dirname;

/** Every `*.yaml` of a folder; none when there is no such folder. */
export function programFiles(folder: string): ProgramFile[] {
  return globSync(join(folder, "*.yaml"))
    .toSorted()
    .map((file) => readProgramFile(readFileSync(file, "utf8"), file));
}

export const programTool = (runner: ProgramRunner, file: ProgramFile): Tool =>
  defineTool({
    name: file.name,
    version: file.version,
    description: file.description,
    tags: ["program", ...file.tags],
    input: z.fromJSONSchema(file.input as never) as z.ZodType<Record<string, Json>>,
    identity: () => Promise.resolve(digestOf(file)),
    effect: writes(file) ? "external" : "read",
    sandbox: "process",
    ...(file.undo === undefined ? {} : { undo: file.undo }),
    touches: (args) => [
      { kind: "shell", resource: file.program, verb: "exec" },
      ...Object.entries(file.paths).flatMap(([name, verb]) =>
        pathsOf(args[name]).map((resource) => ({ kind: "file", resource, verb })),
      ),
    ],
    sinks: (_args, place) => (writes(file) ? runSinks(place, false) : []),
    isUndoable: (_args, place) => isUndoable(place),
    run: async (args, context) => {
      mustBeThere(file);
      const { stdin } = file;
      const ending = await runInSandbox(runner, context, {
        name: file.name,
        command: [file.program, ...fillWords(file.argv, args)],
        ...(stdin === undefined ? {} : { input: inputText(args[stdin]) }),
        limits: {
          wallMs: file.timeoutMs,
          ...(file.memoryBytes === undefined ? {} : { memoryBytes: file.memoryBytes }),
        },
      });
      return resultOf(file, programResult(ending));
    },
  });

const digestOf = (file: ProgramFile): string =>
  createHash("sha256")
    .update(canonicalText(file as unknown as Json))
    .digest("hex");

const writes = ({ paths }: ProgramFile): boolean => Object.values(paths).includes("write");

/** As the agent names them: from where the program starts. */
const pathsOf = (value: Json | undefined): string[] =>
  [value]
    .flat()
    .filter((path) => typeof path === "string")
    .map((path) => posix.resolve("/work", path));

const inputText = (value: Json | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null);

const FOLDERS = ["/usr/bin", "/usr/local/bin", "/bin"];

/** Before the sandbox is: its own words would not say which package to install. */
function mustBeThere({ program, package: from = program }: ProgramFile): void {
  const places = program.startsWith("/") ? [program] : FOLDERS.map((one) => join(one, program));
  if (places.some((place) => statSync(place, { throwIfNoEntry: false })?.isFile())) return;
  throw new SysError("ENOENT", `${program} is not installed`, { hint: `apt install ${from}` });
}

function resultOf({ name, output, okCodes }: ProgramFile, result: JsonObject): Json {
  const { code, stdout, stderr, limit } = result as {
    code: number | null;
    stdout: string;
    stderr: string;
    limit?: string;
  };
  if (code !== 0 && !okCodes.includes(code ?? -1)) {
    const why = limit ?? (stderr.trim() || `it ended with ${code ?? (result["signal"] as string)}`);
    throw new SysError("EUPSTREAM", `${name}: ${why}`, { detail: result });
  }
  if (output === "text") return result;
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (output === "lines") return { ...result, stdout: "", lines };
  try {
    return {
      ...result,
      stdout: "",
      json: lines.length === 1 ? JSON.parse(stdout) : lines.map((line) => JSON.parse(line) as Json),
    };
  } catch {
    return result; // pretty-printed over several lines, or no JSON: as it came
  }
}
