// Fake sys: for the tests of this folder. It answers the calls that the agent makes with the real
// scripted model and the real tools, refuses what is not granted, and keeps what was asked.

import {
  type Json,
  type Manifest,
  manifestSchema,
  type ManifestText,
  type Message,
  spellSys,
  type Sys,
  syscalls,
  SysError,
  type Tool,
} from "@aos/protocol";
import { createScriptedModels, type ScriptText } from "@aos/drivers";
import { builtInTools } from "../../helpers/built-in-tools.ts";
import { deviceContextForTest } from "../../../drivers/src/tools/device-context-for-test.ts";

interface FakeOptions {
  readonly script?: ScriptText;
  readonly folders?: string[];
  readonly manifest?: Partial<ManifestText>;
  readonly tools?: readonly Tool[];
  /** The tools that may be called; all when absent. */
  readonly granted?: readonly string[];
}

export interface FakeSys {
  readonly sys: Sys;
  /** The names of the calls, in their order. */
  readonly calls: string[];
  /** What the model was shown, request by request. */
  readonly shown: Message[][];
}

export function fakeSys(options: FakeOptions): FakeSys {
  const { script, folders = [], tools = builtInTools, granted } = options;
  const models = createScriptedModels({ folders, ...(script && { scripts: { it: script } }) });
  const manifest: Manifest = manifestSchema.parse({
    apiVersion: "aos/v1",
    kind: "Agent",
    name: "test",
    model: "scripted/it",
    ...options.manifest,
  });
  const context = deviceContextForTest();
  const calls: string[] = [];
  const shown: Message[][] = [];

  const files: Record<string, () => unknown> = {
    "/self/manifest": () => manifest,
    "/self/tools": () =>
      tools.map(({ name, description, input }) => ({ name, description, input })),
  };

  const answer = async (name: string, args: unknown): Promise<unknown> => {
    if (name === "read") {
      const { path } = syscalls.read.args.parse(args);
      return files[path ?? ""]?.();
    }
    if (name === "infer") {
      const request = syscalls.infer.args.parse(args);
      shown.push(structuredClone(request.messages));
      return models.infer(request, context);
    }
    if (name === "exec") {
      const { tool: wanted, args: given } = syscalls.exec.args.parse(args);
      const tool = tools.find((candidate) => candidate.name === wanted);
      if (tool === undefined) throw new SysError("ENOENT", `there is no tool ${wanted}`);
      if (granted?.includes(wanted) === false) {
        throw new SysError("EACCES", `no capability grants ${wanted}`, {
          hint: `tool:${wanted}:call`,
        });
      }
      return tool.run(given, context);
    }
    throw new Error(`the agent is not known to call ${name}`);
  };

  const sys = spellSys(
    async (name, args) => {
      calls.push(name);
      return (await answer(name, args)) as Json;
    },
    () => {},
  );
  return { sys, calls, shown };
}
