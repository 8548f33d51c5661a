// Test models: who answers for which model in a test.
//
// TEST-MODELS-1  What the test says answers for every model that its agent names, and for every provider
//     outside.
// TEST-MODELS-2  Another `scripted/NAME` (of an agent that it starts) has its own script.
// TEST-MODELS-3  With no word in the test the agent's own script answers; any other model is a failure.

import { join, resolve } from "node:path";
import { createScriptedModels, type ScriptText } from "@aos/drivers";
import type { KernelOptions } from "@aos/kernel";
import { SysError, type Manifest, type ModelDriver } from "@aos/protocol";
import { readRecording } from "./recording.ts";
import { recordedFakeModel, scriptedFakeModel, type FakeModel } from "./fake-model.ts";
import { testFileText, type TestDefinition } from "./test-file.ts";

export interface TestModels extends Required<
  Pick<KernelOptions, "models" | "modelSource" | "slots">
> {
  readonly otherRequests: readonly string[];
}

interface Given {
  readonly manifest: Manifest | undefined;
  /** Where scripts are looked for, after the test's own folder. */
  readonly folders: readonly string[];
  readonly liveDriver: ((provider: string) => ModelDriver | undefined) | undefined;
  readonly onNoModel: (problem: string) => void;
}

export function modelsFor(written: TestDefinition, given: Given): TestModels {
  const { manifest, liveDriver, onNoModel } = given;
  const folders = [written.folder, ...given.folders].flatMap((at) => [at, join(at, "scripts")]);
  const fakeModel = fakeModelFor(written, folders);
  const named = namedBy(manifest);
  const own = createScriptedModels({ folders });
  const theirs = fakeModel?.driver("scripted", undefined);
  const isOurs = (model: string): boolean => theirs !== undefined && named.includes(model);
  const scripted: ModelDriver = {
    ...own,
    ...(theirs?.measure === undefined ? {} : { measure: (request) => theirs.measure!(request) }),
    worstCase: (request) => (isOurs(request.model) ? theirs! : own).worstCase(request),
    infer: (request, context) => (isOurs(request.model) ? theirs! : own).infer(request, context),
  };
  return {
    otherRequests: fakeModel?.otherRequests ?? [],
    models: [scripted],
    modelSource: {
      driver: (provider) =>
        fakeModel?.driver(provider, liveDriver?.(provider)) ?? nobody(provider, onNoModel),
      providers: () => [],
    },
    slots: () => ({ providers: onlyOnce(named), models: {}, tenants: {} }),
  };
}

function fakeModelFor(
  { test, folder, beside }: TestDefinition,
  folders: readonly string[],
): FakeModel | undefined {
  if (test.model !== undefined)
    return scriptedFakeModel({ name: test.model.replace(/^scripted\//, "") }, folders);
  if (test.script !== undefined)
    return scriptedFakeModel({ text: test.script as ScriptText }, folders);
  if (test.replay === undefined) return undefined;
  const file = resolve(folder, test.replay);
  return recordedFakeModel(readRecording(beside?.[test.replay] ?? testFileText(file), file));
}

const namedBy = (manifest: Manifest | undefined): string[] =>
  [manifest?.model ?? [], manifest?.context?.summarizer ?? []].flat();

/** A recorded failure is what came of all tries. */
const onlyOnce = (models: readonly string[]) =>
  Object.fromEntries(models.map((model) => [model.split("/", 1)[0]!, { retries: 0 }]));

/** TEST-MODELS-3. */
function nobody(provider: string, onNoModel: Given["onNoModel"]): ModelDriver {
  return {
    provider,
    egress: true,
    worstCase: () => ({ usd: 0, tokens: 0 }),
    infer: async ({ model }) => {
      const problem = `${model} was asked, and the test has no model, script or replay in its place`;
      onNoModel(problem);
      throw new SysError("EUPSTREAM", problem);
    },
  };
}
