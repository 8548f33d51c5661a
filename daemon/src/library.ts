// Library: a whole kernel with the system's own programs, tools and models plugged in.
//
//   const echo: Program = async (sys, input) => input
//   const kernel = await createKernel({ programs: { echo } })
//   const pid = await kernel.spawn({ agent: "echo", input: "hello" })
//   const { output } = await kernel.wait(pid)
//   await kernel.close()
//
// It forgets everything at its end unless `store` names a file or a database.

import { builtInTools, createForeignPrograms, createScriptedModels } from "@aos/drivers";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import { programs } from "@aos/userland";

export interface CreateKernelOptions extends KernelOptions {
  /** Where `scripted/NAME` finds NAME.yaml. Read at every request: the list may grow. */
  readonly scriptFolders?: readonly string[];
}

/** What is given stands beside what the system brings; of two with one name the given one counts. */
export function createKernel(options: CreateKernelOptions = {}): Promise<Kernel> {
  const { scriptFolders = [], ...given } = options;
  const tools = given.tools ?? [];
  const models = given.models ?? [];
  const scripted = createScriptedModels({ folders: scriptFolders });
  return bootKernel({
    store: "memory",
    foreign: createForeignPrograms(),
    ...given,
    programs: { ...programs, ...given.programs },
    tools: [
      ...builtInTools.filter(({ name }) => !tools.some((own) => own.name === name)),
      ...tools,
    ],
    models: models.some(({ provider }) => provider === scripted.provider)
      ? models
      : [scripted, ...models],
  });
}
