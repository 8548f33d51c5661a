// shell.execute: any program, in the sandbox.
//
// SHELL-TOOLS-1  A grant for `shell:git` covers git only: a text that needs more than splitting into words needs a
//     grant for `sh`.
// SHELL-TOOLS-2  It has network only on request, and then each host needs its own grant.

import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { runInSandbox, type ProgramRunner } from "../program-runner.ts";
import { programName } from "./program-name.ts";
import { programResult } from "./program-result.ts";
import { isUndoable, runSinks } from "./run-sinks.ts";
import { splitWords } from "./split-words.ts";

const MAX_WALL_MS = 3_600_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const input = z.strictObject({
  command: z
    .union([z.string().min(1).max(100_000), z.array(z.string().max(100_000)).min(1).max(1000)])
    .describe("A program and its words as a list, or as a text; other text is run by a shell."),
  folder: z
    .string()
    .startsWith("/")
    .optional()
    .describe("Where it starts: in /work, the workspace, unless said."),
  input: z.string().optional().describe("Given to standard input."),
  env: z.record(z.string().regex(NAME), z.string()).optional(),
  secrets: z
    .array(z.string().min(1))
    .max(20)
    .optional()
    .describe("Names of secrets; each is a variable of that name, usable in requests only."),
  network: z.boolean().default(false).describe("Whether it may reach the hosts that are granted."),
  timeoutMs: z.number().int().positive().max(MAX_WALL_MS).optional(),
  outputBytes: z.number().int().positive().max(MAX_OUTPUT_BYTES).optional(),
});

type Command = z.output<typeof input>["command"];

/** SHELL-TOOLS-1. */
export function argvOf(command: Command): { argv: readonly string[]; isScript: boolean } {
  const words = typeof command === "string" ? splitWords(command) : command;
  return words === undefined
    ? { argv: ["/bin/sh", "-c", command as string], isScript: true }
    : { argv: words, isScript: false };
}

export const createShellTools = (runner: ProgramRunner) => [
  defineTool({
    name: "shell.execute",
    version: "1",
    description:
      "Run a program in the sandbox, in the workspace. Gives `code`, `stdout`, `stderr`; `limit` says which limit ended it.",
    tags: ["program", "command line"],
    input,
    effect: "external",
    sandbox: "process",
    authority: ["command"],
    touches: ({ command, folder = "/work", secrets = [] }) => {
      const { argv, isScript } = argvOf(command);
      const resource = isScript ? "sh" : programName(argv[0]!, folder);
      return [
        { kind: "shell", resource, verb: "exec" },
        ...secrets.map((name) => ({ kind: "secret", resource: name, verb: "use" })),
      ];
    },
    sinks: ({ network }, place) => runSinks(place, network),
    isUndoable: ({ network }, place) => !network && isUndoable(place),
    undo: "workspace",
    run: async (args, context) =>
      programResult(
        await runInSandbox(runner, context, {
          name: "shell.execute",
          command: argvOf(args.command).argv,
          ...(args.folder === undefined ? {} : { folder: args.folder }),
          isOnline: args.network,
          ...(args.input === undefined ? {} : { input: args.input }),
          ...(args.env === undefined ? {} : { env: args.env }),
          ...(args.secrets === undefined ? {} : { secrets: args.secrets }),
          limits: {
            ...(args.timeoutMs === undefined ? {} : { wallMs: args.timeoutMs }),
            ...(args.outputBytes === undefined ? {} : { outputBytes: args.outputBytes }),
          },
        }),
      ),
  }),
];
