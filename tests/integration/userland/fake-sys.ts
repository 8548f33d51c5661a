// Fake sys: for the tests of this folder. It answers the calls that the agent makes with the real
// scripted model and the real tools, refuses what is not granted, and keeps what was asked.

import {
  type InferReply,
  type Json,
  type Manifest,
  manifestSchema,
  type ManifestText,
  type Message,
  spellSys,
  type Sys,
  type SyscallArgs,
  syscalls,
  SysError,
  type Tool,
} from "@aos/protocol";
import { createScriptedModels, type ScriptText } from "@aos/drivers";
import { builtInTools } from "../../helpers/built-in-tools.ts";
import { deviceContextForTest } from "../../helpers/drivers/device-context.ts";

interface FakeOptions {
  readonly script?: ScriptText;
  /** More models, by name. */
  readonly scripts?: Readonly<Record<string, ScriptText>>;
  /** In place of scripts. */
  readonly infer?: (request: SyscallArgs<"infer">) => Partial<InferReply>;
  /** AGENTS.md files. */
  readonly instructions?: readonly string[];
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
  /** The same requests, whole. */
  readonly requests: SyscallArgs<"infer">[];
  /** What it ended with, where it said so. */
  readonly ends: SyscallArgs<"exit">[];
  /** The signals that it sent to itself. */
  readonly signals: string[];
}

export function fakeSys(options: FakeOptions): FakeSys {
  const { script, folders = [], tools = builtInTools, granted } = options;
  const scripts = { ...(script && { it: script }), ...options.scripts };
  const models = createScriptedModels({ folders, scripts });
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
  const requests: SyscallArgs<"infer">[] = [];
  const ends: SyscallArgs<"exit">[] = [];
  const signals: string[] = [];

  const files: Record<string, () => unknown> = {
    "/self/manifest": () => manifest,
    "/self/tools": () =>
      tools.map(({ name, description, input }) => ({ name, description, input })),
    "/self/instructions": () => options.instructions ?? [],
  };

  const answer = async (name: string, args: unknown): Promise<unknown> => {
    if (name === "read") {
      const { path } = syscalls.read.args.parse(args);
      return files[path ?? ""]?.();
    }
    if (name === "infer") {
      const request = syscalls.infer.args.parse(args);
      shown.push(structuredClone(request.messages));
      requests.push(structuredClone(request));
      if (options.infer === undefined) return models.infer(request, context);
      const usage = { inputTokens: 0, outputTokens: 0 };
      return { text: "", toolCalls: [], finish: "stop", usage, ...options.infer(request) };
    }
    if (name === "exec") {
      const { tool: wanted, args: given } = syscalls.exec.args.parse(args);
      const tool = tools.find((candidate) => candidate.name === wanted);
      if (tool === undefined) throw new SysError("ENOENT", `unknown tool ${wanted}`);
      if (granted?.includes(wanted) === false) {
        throw new SysError("EACCES", `no capability grants ${wanted}`, {
          hint: `tool:${wanted}:call`,
        });
      }
      return tool.run(given, context);
    }
    if (name === "handle") return null;
    if (name === "self") return { pid: "agt_self" };
    if (name === "signal") return void signals.push((args as { signal: string }).signal);
    if (name === "exit") return void ends.push(args as SyscallArgs<"exit">);
    throw new Error(`the agent is not known to call ${name}`);
  };

  const sys = spellSys(
    async (name, args) => {
      if (name !== "handle") calls.push(name); // it leaves no record
      return (await answer(name, args)) as Json;
    },
    () => {},
  );
  return { sys, calls, shown, requests, ends, signals };
}
