// git: on a repository of the workspace, always in the sandbox. A repository is untrusted, and git runs programs that
// it names: hooks, filters, helpers.
//
// GIT-TOOLS-1  No program named by a repository's configuration runs, and no remote is reached.
// GIT-TOOLS-2  The author never comes from the repository's own configuration.

import { type DeviceContext, type JsonObject, SysError, type Touch } from "@aos/protocol";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { programResult } from "../shell/program-result.ts";
import { isUndoable, runSinks } from "../shell/run-sinks.ts";
import { runInSandbox, type ProgramRunner } from "../program-runner.ts";
import { LOG_FORMAT, readLog, readStatus } from "./porcelain.ts";

const folder = z
  .string()
  .startsWith("/")
  .default("/work")
  .describe("The folder of the repository; /work unless said.");
const paths = z.array(z.string().min(1).max(4096)).max(1000);

/** GIT-TOOLS-1. */
const SAFE = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "core.editor=true",
  "core.sshCommand=false",
  "core.askPass=true",
  "credential.helper=",
  "commit.gpgSign=false",
  "diff.external=",
  "protocol.allow=never",
  "safe.directory=*",
  "submodule.recurse=false",
].flatMap((setting) => ["-c", setting]);

const ENV = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  LC_ALL: "C.UTF-8",
};

const touches = (): readonly Touch[] => [{ kind: "shell", resource: "git", verb: "exec" }];

const common = {
  version: "1",
  tags: ["git", "version control"],
  sandbox: "process",
  touches,
} as const;

export function createGitTools(runner: ProgramRunner) {
  const git = async (
    context: DeviceContext,
    where: string,
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number; stdout: string; stderr: string; limit?: string }> => {
    const ending = await runInSandbox(runner, context, {
      name: "git",
      command: ["git", ...SAFE, ...words],
      folder: where,
      env: { ...ENV, ...env },
    });
    return programResult(ending) as never;
  };
  const outputOf = async (context: DeviceContext, where: string, words: readonly string[]) => {
    const { code, stdout, stderr, limit } = await git(context, where, words);
    if (code === 0) return stdout;
    throw new SysError("EUPSTREAM", `git ${words[0]}: ${limit ?? stderr.trim()}`);
  };

  return [
    defineTool({
      ...common,
      name: "git.status",
      description: "The branch, and the files that are changed or not tracked.",
      input: z.strictObject({ folder }),
      effect: "read",
      sinks: () => [],
      run: async (args, context) =>
        readStatus(
          await outputOf(context, args.folder, ["status", "--porcelain=v2", "--branch", "-z"]),
        ),
    }),
    defineTool({
      ...common,
      name: "git.diff",
      description:
        "What is changed, as a unified diff; `staged` for what the next commit will have.",
      input: z.strictObject({
        folder,
        staged: z.boolean().default(false),
        from: revision().optional().describe("Against this commit."),
        to: revision().optional(),
        paths: paths.optional(),
      }),
      effect: "read",
      sinks: () => [],
      run: async ({ folder: where, staged, from, to, paths: only = [] }, context) => ({
        diff: await outputOf(context, where, [
          "diff",
          "--no-color",
          "--no-ext-diff",
          "--no-textconv",
          ...(staged ? ["--cached"] : []),
          ...[from, to].filter((one) => one !== undefined),
          "--",
          ...only,
        ]),
      }),
    }),
    defineTool({
      ...common,
      name: "git.log",
      description: "The last commits, newest first.",
      input: z.strictObject({
        folder,
        limit: z.number().int().positive().max(1000).default(20),
        from: revision().default("HEAD"),
        paths: paths.optional(),
      }),
      effect: "read",
      sinks: () => [],
      run: async ({ folder: where, limit, from, paths: only = [] }, context) => ({
        commits: readLog(
          await outputOf(context, where, [
            "log",
            `--max-count=${limit}`,
            `--format=${LOG_FORMAT}`,
            from,
            "--",
            ...only,
          ]),
        ),
      }),
    }),
    defineTool({
      ...common,
      name: "git.commit",
      description:
        "Make a commit of what is staged, of `paths`, or with `all` of everything that is changed or new.",
      input: z.strictObject({
        folder,
        message: z.string().min(1).max(100_000),
        paths: paths.optional(),
        all: z.boolean().default(false),
        author: z
          .string()
          .regex(/^[^<>\n\0]{1,200} <[^<>\s\0]{1,200}>$/, "Name <mail@example.org>")
          .default("agent <agent@aos.invalid>"),
      }),
      effect: "external",
      sinks: (_args, place) => runSinks(place, false),
      isUndoable: (_args, place) => isUndoable(place),
      undo: "workspace",
      run: ({ folder: where, ...args }, context) =>
        commit(args, (words, env) => git(context, where, words, env)),
    }),
  ];
}

/** A name of a commit that no word of git's own can be taken for. */
function revision() {
  return z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_./^~@{}-]*$/, "the name of a commit, a branch or a tag");
}

async function commit(
  args: { message: string; paths?: string[] | undefined; all: boolean; author: string },
  git: (
    words: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<{ code: number; stdout: string; stderr: string; limit?: string }>,
): Promise<JsonObject> {
  const mustDo = async (words: readonly string[], env?: Readonly<Record<string, string>>) => {
    const { code, stdout, stderr, limit } = await git(words, env);
    if (code === 0) return stdout;
    throw new SysError(
      "EUPSTREAM",
      `git ${words[0]}: ${limit ?? (stderr.trim() || stdout.trim())}`,
    );
  };
  if (args.all) await mustDo(["add", "--all"]);
  else if (args.paths !== undefined) await mustDo(["add", "--", ...args.paths]);
  const [, name = "", mail = ""] = /^(.*) <(.*)>$/.exec(args.author) ?? [];
  const who = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail };
  const author = { ...who, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: mail }; // GIT-TOOLS-2
  await mustDo(["commit", "--no-verify", "--quiet", `--message=${args.message}`], author);
  const hash = (await mustDo(["rev-parse", "HEAD"])).trim();
  const files = await mustDo(["show", "--name-only", "--format=", "-z", "HEAD"]);
  return { hash, files: files.split("\0").filter((path) => path !== "") };
}
