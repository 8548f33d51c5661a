// build.run: runs the build and tests of a project, from a list of systems and targets.

import { readdir } from "node:fs/promises";
import { type DeviceContext, SysError, type Touch } from "@aos/protocol";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { programResult } from "../shell/program-result.ts";
import { isUndoable, runSinks } from "../shell/run-sinks.ts";
import { runInSandbox, type ProgramRunner, workspaceForCall } from "../program-runner.ts";
import { toAgent, toMachine } from "../../workspace/index.ts";
import { withFolder } from "../file/open-checked.ts";
import { buildSystems, testCounts } from "./build-systems.ts";
import { toolchainFor } from "./toolchain.ts";

const DEFAULT_WALL_MS = 600_000;
const BUILD_BYTES = 4 * 1024 * 1024 * 1024;

const systems = Object.keys(buildSystems) as [string, ...string[]];
/** Which words go to which program is known only once the project has been looked at. */
const isOnline = (system: string, target: string): boolean =>
  (system === "auto" ? systems : [system]).some((one) => buildSystems[one]!.online.has(target));

export const createBuildTools = (runner: ProgramRunner) => [
  defineTool({
    name: "build.run",
    version: "1",
    description:
      "Run a target of the project's build system (npm, make, cargo, pytest) in the sandbox. Gives `code`, `stdout`, `stderr`, and `summary` with the numbers of tests where they can be told.",
    tags: ["build", "test", "compile"],
    input: z.strictObject({
      system: z.enum([...systems, "auto"]).default("auto"),
      target: z.string().min(1).max(200).default("test"),
      args: z.array(z.string().max(10_000)).max(100).default([]),
      folder: z.string().startsWith("/").default("/work"),
      timeoutMs: z.number().int().positive().max(3_600_000).default(DEFAULT_WALL_MS),
    }),
    effect: "external",
    sandbox: "process",
    touches: ({ system }) =>
      (system === "auto" ? systems : [system]).map((one) => ({
        kind: "shell",
        resource: buildSystems[one]!.program,
        verb: "exec",
      })),
    sinks: ({ system, target }, place) => runSinks(place, isOnline(system, target)),
    isUndoable: ({ system, target }, place) => !isOnline(system, target) && isUndoable(place),
    undo: "workspace",
    run: async ({ system, target, args, folder, timeoutMs }, context) => {
      const name = system === "auto" ? await findSystem(runner, context, folder) : system;
      const row = buildSystems[name]!;
      const toolchain = toolchainFor(row.program);
      const result = programResult(
        await runInSandbox(runner, context, {
          name: `build.run ${name}`,
          command: [row.program, ...row.words(target, args)],
          folder,
          env: { ...row.env, PATH: toolchain.path },
          isOnline: row.online.has(target),
          mounts: toolchain.mounts,
          limits: { wallMs: timeoutMs, memoryBytes: BUILD_BYTES, processes: 512 },
        }),
      );
      const summary = testCounts(`${result["stdout"] as string}\n${result["stderr"] as string}`);
      return { system: name, ...result, ...(summary === undefined ? {} : { summary }) };
    },
  }),
];

async function findSystem(
  runner: ProgramRunner,
  context: DeviceContext,
  folder: string,
): Promise<string> {
  const { root } = await workspaceForCall(runner, context);
  const gate = {
    // Only whether there are files of these names is looked at, and only in the workspace.
    authorize: ({ resource }: Touch) => void toAgent(root, resource),
  };
  const names = await withFolder(
    toMachine(root, folder),
    "list",
    gate,
    async (path) => new Set(await readdir(path)),
  );
  const found = systems.find((name) => buildSystems[name]!.sign.some((sign) => names.has(sign)));
  if (found !== undefined) return found;
  const signs = systems.map((name) => `${name} (${buildSystems[name]!.sign[0]})`);
  throw new SysError("ENOENT", `${folder} has no known build system`, {
    hint: `a build system is recognised by one of these files: ${signs.join(", ")}`,
  });
}
