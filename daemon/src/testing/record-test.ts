// Record test: turns a recorded run into a test that repeats it.
//
// RECORD-TEST-1  The test is tried before it is returned: one that does not pass at once is refused with the reason.
// RECORD-TEST-2  It contains no secret: the journal has none, and its content is scrubbed again.
// RECORD-TEST-3  A run that started other agents is refused: each has its own journal and is recorded separately.

import { relative, resolve } from "node:path";
import type { Kernel, RecordedRun } from "@aos/kernel";
import {
  isEnded,
  isNamed,
  SysError,
  type Json,
  type JsonObject,
  type ProcessDetail,
  type Tool,
} from "@aos/protocol";
import { stringify } from "yaml";
import { omitUndefined } from "../omit-undefined.ts";
import type { TestEnvironment } from "./test-environment.ts";
import { projectAbove } from "./chosen-agent.ts";
import { callsMade, type ObservedCall } from "./made-calls.ts";
import {
  givenByOperator,
  modelAnswers,
  runCalls,
  personAnswers,
  sentByOperator,
  toolAnswers,
  type RunCall,
} from "./recorded-run.ts";
import { recordingText } from "./recording.ts";
import { runTest } from "./run-test.ts";
import { readTests } from "./test-file.ts";
import { writtenManifest } from "./written-manifest.ts";

export interface RecordedTest {
  /** What its files are called: NAME.test.yaml and NAME.recording.yaml. */
  readonly name: string;
  readonly text: string;
  readonly script: string;
}

export interface RecordTestOptions {
  readonly name?: string | undefined;
  /** Where the test is going to be. */
  readonly folder?: string | undefined;
  /** A manifest file, to test in the place of the one that the run was started with. */
  readonly agent?: string | undefined;
}

export async function recordTest(
  kernel: Pick<Kernel, "show" | "pastRun" | "tools" | "scrub">,
  pid: string,
  options: RecordTestOptions,
  environment: TestEnvironment,
): Promise<RecordedTest> {
  // RECORD-TEST-2: what has become a secret since is no more in it than what was one.
  const scrubbed = <T>(value: T): T => JSON.parse(kernel.scrub(JSON.stringify(value))) as T;
  const detail = scrubbed(await kernel.show(pid));
  const run = scrubbed(await kernel.pastRun(pid));
  const calls = runCalls(run);
  refuseUnrepeatable(detail, run, calls);
  const name = options.name ?? `${detail.agent}-${pid.slice(-8).toLowerCase()}`;
  const folder = resolve(options.folder ?? run.folder ?? "/");
  const replay = `${name}.recording.yaml`;
  const scope = { tenant: detail.tenant, folders: run.folder === undefined ? [] : [run.folder] };
  const known = (await kernel.tools(scope)).map(({ tool }) => tool);
  const test = {
    name: `${detail.agent} does what it did in ${pid}`,
    ...agentOf(run, options, folder),
    ...givenTo(run, detail, calls),
    replay,
    tools: fakesOf(calls, offered(run, known), await environment.toolsFor(run.folder ?? folder)),
    expect: expectationsOf(detail, callsMade([[pid, run.records]])),
  };
  const text = HEAD + stringify({ tests: [test] }, YAML);
  const script = recordingText(modelAnswers(calls));
  await tryOnce({ text, script, replay, file: resolve(folder, `${name}.test.yaml`) }, environment);
  return { name, text, script };
}

const YAML = { lineWidth: 0, aliasDuplicateObjects: false };
const HEAD = "# Recorded from a run. docs/testing.md says what each field means.\n";

/** Its own, with the place that it was from where that is not the test's project; or the one in a file. */
function agentOf(
  { manifest, folder: from }: RecordedRun,
  { agent }: RecordTestOptions,
  folder: string,
): object {
  if (agent !== undefined) return { agent: pathFrom(folder, agent) };
  const isHere = from === undefined || from === projectAbove(folder);
  return {
    agent: writtenManifest(manifest),
    ...(isHere ? {} : { folder: pathFrom(folder, from) }),
  };
}

const pathFrom = (folder: string, file: string): string => {
  const path = relative(folder, file);
  return path.startsWith(".") ? path : `./${path}`;
};

function refuseUnrepeatable(
  { pid, state, compacted }: ProcessDetail,
  { records }: RecordedRun,
  calls: readonly RunCall[],
): void {
  const refuse = (why: string, hint?: string): never => {
    throw new SysError("ESTATE", `${pid} cannot become a test: ${why}`, { hint });
  };
  if (!isEnded(state)) refuse(`it is ${state}`, "wait for its end");
  if (compacted || records[0]?.kind !== "start") refuse("its history is not kept whole");
  const spawned = calls.find(({ call, ok }) => call === "spawn" && ok !== undefined); // RECORD-TEST-3
  if (spawned !== undefined)
    refuse(
      `it started another agent, ${spawned.ok as string}`,
      `record that one by itself: aos test record ${spawned.ok as string}`,
    );
}

/** All that it was given. */
function givenTo(run: RecordedRun, detail: ProcessDetail, calls: readonly RunCall[]): object {
  const start = run.records[0] as { input: Json };
  const grants = givenByOperator(run);
  const messages = sentByOperator(calls);
  const words = personAnswers(calls);
  const { workspace, budget } = detail;
  return {
    ...(start.input === null ? {} : { input: start.input }),
    label: `${run.label.integrity}/${run.label.secrecy}`,
    ...omitUndefined({ capabilities: run.capabilities }),
    ...(grants.length === 0 ? {} : { grants }),
    ...(messages.length === 0 ? {} : { messages }),
    ...(words.length === 0 ? {} : { approvals: words }),
    ...budgetOf(budget.limit, run.manifest.budget),
    ...(workspace.folder === null ? {} : { workspace: workspace.isCow ? "copy" : "direct" }),
  };
}

/** Only what is less than the manifest's: the rest that says itself. */
function budgetOf(
  limit: ProcessDetail["budget"]["limit"],
  own: RecordedRun["manifest"]["budget"],
): object {
  const { wallMs, ...rest } = limit;
  const held = { ...rest, ...(wallMs === undefined ? {} : { wall: wallMs }) };
  const less = Object.entries(held).filter(
    ([unit, most]) => own[unit as keyof typeof own] !== most,
  );
  if (less.length === 0) return {};
  const said = less.map(([unit, most]) => [unit, unit === "wall" ? `${most}ms` : most]);
  return { budget: Object.fromEntries(said) as object };
}

/** The tools that it called, and those that it could have. */
const offered = ({ manifest, records }: RecordedRun, known: readonly Tool[]): Tool[] => {
  const called = new Set(callsMade([["", records]]).map(({ tool }) => tool));
  return known.filter(({ name }) => isNamed(name, manifest.tools) || called.has(name));
};

/**
 * Those that every test has say themselves what they do, and need no word where they were not called. Of
 * others the test has to say it, so that they are there for the agent as they were.
 */
function fakesOf(calls: readonly RunCall[], known: readonly Tool[], ours: readonly Tool[]): object {
  const answers = toolAnswers(calls);
  const isOurs = (name: string) => ours.some((one) => one.name === name);
  const elsewhere = known.filter(({ name }) => !isOurs(name)).map(({ name }) => name);
  const fakes = [...new Set([...elsewhere, ...answers.keys()])].map((name) => {
    const tool = known.find((one) => one.name === name);
    const said = isOurs(name) ? {} : saidOf(tool, calls, name);
    return [name, { ...said, answers: answers.get(name) ?? [] }];
  });
  return Object.fromEntries(fakes) as object;
}

function saidOf(tool: Tool | undefined, calls: readonly RunCall[], name: string): JsonObject {
  if (tool === undefined) return { effect: "read" };
  const first = calls.find((one) => one.call === "exec" && one.args["tool"] === name);
  const place = { workspace: { isCow: false } };
  const sinks = first && tool.sinks?.(first.args["args"] as Json, place);
  return {
    effect: tool.effect,
    ...(tool.egress === undefined ? {} : { egress: tool.egress }),
    ...(sinks === undefined ? {} : { sinks: [...sinks] }),
    ...(tool.authority === undefined ? {} : { authority: [...tool.authority] }),
  };
}

function expectationsOf(detail: ProcessDetail, madeCalls: readonly ObservedCall[]): object {
  const { state, exitCode, output, error, budget, labels } = detail;
  const { usd, tokens, toolCalls } = budget.spent;
  return {
    state,
    exitCode,
    output: { equals: output },
    ...(error === null ? {} : { error: { code: error.code } }),
    calls: madeCalls
      .filter(({ tool }) => tool !== null)
      .map(({ tool, args, outcome }) => ({ tool, args, ...(isOver(outcome) ? { outcome } : {}) })),
    refused: madeCalls
      .filter(({ outcome }) => outcome === "refused")
      .map(({ call, tool, error: failure, rule }) => ({
        ...(tool === null ? { call } : { tool }),
        code: failure!.code,
        ...(rule === null ? {} : { rule }),
      })),
    infers: madeCalls.filter(({ call }) => call === "infer").length,
    requests: "recorded",
    cost: { maxUsd: usd, maxTokens: tokens, maxToolCalls: toolCalls },
    label: `${labels.integrity}/${labels.secrecy}`,
  };
}

const isOver = (outcome: ObservedCall["outcome"]): boolean => outcome !== "unfinished";

/** RECORD-TEST-1. */
async function tryOnce(
  { text, script, replay, file }: { text: string; script: string; replay: string; file: string },
  environment: TestEnvironment,
): Promise<void> {
  const [written] = readTests(text, file);
  const { problems } = await runTest({ ...written!, beside: { [replay]: script } }, environment);
  if (problems.length === 0) return;
  throw new SysError("ESTATE", `the run cannot be had again: ${problems.join("; ")}`, {
    hint: "a test cannot repeat the clock, randomness, earlier memory or signals from outside",
    detail: { problems: [...problems] },
  });
}
