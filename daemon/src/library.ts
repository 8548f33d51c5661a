// Library: a whole kernel with the system's own programs, tools and models.
//
//   const echo: Program = async (sys, input) => input
//   const kernel = await createKernel({ programs: { echo } })
//   const pid = await kernel.spawn({ agent: "echo", input: "hello" })
//   const { output } = await kernel.wait(pid)
//   await kernel.close()
//
// Its state is lost at the end unless `store` names a file or a database.

import { realpath } from "node:fs/promises";
import {
  createEgress,
  createForeignPrograms,
  createInspector,
  createMounts,
  createScriptedModels,
  type ConfiguredMount,
  type ForeignProgramOptions,
  type MountProviderOptions,
  inProcessTools,
  listFolder,
} from "@aos/drivers";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Tool, ToolProvider, ToolScope } from "@aos/protocol";
import { programs } from "@aos/userland";
import { programEnvironment, programLibraries } from "./program-libraries.ts";
import {
  type OpenProgramRunner,
  openProgramRunner,
  type ProgramRunnerOptions,
  quarantineEntry,
} from "./program-runner-setup.ts";
import { createEvalRunTool, type EvalHost } from "./evals/run-tool.ts";
import { type PluggedTools, plugTools } from "./tools/plug-tools.ts";
import { trustsFolders } from "./trust/library-trust.ts";

export interface CreateKernelOptions
  extends KernelOptions, Pick<ProgramRunnerOptions, "sandbox" | "workspaces" | "private"> {
  /** Where `scripted/NAME` finds NAME.yaml. Read at every request: the list may grow. */
  readonly scriptFolders?: readonly string[];
  /** What foreign programs run in, and what they say on standard error. */
  readonly onProgram?: Pick<ForeignProgramOptions, "onStarted" | "onStderr">;
  /** Project folders whose `.agents/tools` count, with what is below them. None unless said. */
  readonly trustedFolders?: readonly string[];
  /** What the processes of a tenant see below /mnt, by name; beside what manifests declare. */
  readonly configuredMounts?: Readonly<Record<string, ConfiguredMount>>;
}

/** What is given stands beside what the system brings; of two with one name the given one counts. */
export async function createKernel(options: CreateKernelOptions = {}): Promise<Kernel> {
  const { sandbox, workspaces, private: hidden, trustedFolders = [], ...rest } = options;
  const runner = openProgramRunner({
    marks: () => kernel,
    onQuarantine: (pid, said, taken) =>
      kernel.enter("quarantine", pid, quarantineEntry(said, taken)),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(workspaces === undefined ? {} : { workspaces }),
    ...(hidden === undefined ? {} : { private: hidden }),
  });
  const plugged = plugTools(runner, { trusted: trustsFolders(trustedFolders) });
  const kernel: Kernel = await bootWith(runner, plugged, rest);
  return closingWith(kernel, plugged, runner);
}

/** The kernel over a workshop and tools that somebody else closes. */
export async function bootWith(
  runner: OpenProgramRunner,
  plugged: PluggedTools,
  options: KernelOptions &
    Pick<CreateKernelOptions, "scriptFolders" | "onProgram" | "configuredMounts"> & {
      readonly resources?: MountProviderOptions["resources"];
      readonly evalHost?: EvalHost;
    },
): Promise<Kernel> {
  const {
    scriptFolders = [],
    onProgram,
    configuredMounts = {},
    resources,
    evalHost,
    ...given
  } = options;
  let booted: Kernel | undefined;
  const evalRun = createEvalRunTool({ kernel: () => booted!, ...evalHost });
  const tools = inProcessTools(given.tools ?? [], [...plugged.tools, evalRun]);
  const models = given.models ?? [];
  const scripted = createScriptedModels({ folders: scriptFolders });
  booted = await bootKernel({
    store: "memory",
    inspector: createInspector(runner),
    listFolder,
    realFolder: (folder) => realpath(folder).catch(() => folder),
    foreign: createForeignPrograms({
      sandbox: runner.sandbox,
      private: runner.private,
      libraries: programLibraries,
      env: programEnvironment,
      ...onProgram,
    }),
    mounts: createMounts({
      configured: configuredMounts,
      egress: createEgress(),
      sandbox: runner.sandbox,
      resources,
      embeddings: given.embeddings,
    }),
    ...given,
    programs: { ...programs, ...given.programs },
    tools: [
      ...[...plugged.tools, evalRun].filter(({ name }) => !tools.some((own) => own.name === name)),
      ...tools,
    ],
    toolProvider: joinToolProviders([
      plugged.projects,
      ...(given.toolProvider === undefined ? [] : [given.toolProvider]),
    ]),
    models: models.some(({ provider }) => provider === scripted.provider)
      ? models
      : [scripted, ...models],
  });
  return booted;
}

function closingWith(
  kernel: Kernel,
  { projects }: PluggedTools,
  runner: OpenProgramRunner,
): Kernel {
  const close = kernel.close.bind(kernel);
  kernel.close = async (options) => {
    await close(options);
    await projects.close();
    await runner.close();
  };
  return kernel;
}

/** On a name clash, the earlier provider wins. */
function joinToolProviders(providers: readonly ToolProvider[]): ToolProvider {
  return {
    prepare: async (scope) => {
      await Promise.all(providers.map((provider) => provider.prepare(scope)));
    },
    tools: (scope: ToolScope) => {
      const byName = new Map<string, Tool>();
      for (const tool of providers.flatMap((provider) => provider.tools(scope)))
        if (!byName.has(tool.name)) byName.set(tool.name, tool);
      return [...byName.values()];
    },
    mayComeToBe: (name) => providers.some((provider) => provider.mayComeToBe(name)),
  };
}
