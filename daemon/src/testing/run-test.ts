// Run test: one test of an agent, in its own kernel that stores nothing.
//
// RUN-TEST-1  The gate is the real one: the operator's policy, the project's, capabilities, labels and budgets.
// RUN-TEST-2  It ends: at the process's end, when no process can continue, or at `timeout`.
// RUN-TEST-3  An error that prevents a test from running is a problem of that test only.

import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { readLabel, type Kernel } from "@aos/kernel";
import {
  DEFAULT_TENANT,
  isNamed,
  nearest,
  SysError,
  type AgentTestReport,
  type Ending,
  type Tool,
  type ToolScope,
} from "@aos/protocol";
import { bootWith } from "../library.ts";
import { problemLines } from "../policy/problem-lines.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { trustAnyFolder } from "../trust/library-trust.ts";
import { yamlFailure } from "../yaml-file.ts";
import type { TestEnvironment } from "./test-environment.ts";
import { chooseAgent, type ChosenAgent } from "./chosen-agent.ts";
import { callsMade } from "./made-calls.ts";
import { unmetExpectations, type TestRunResult } from "./expectations.ts";
import { fakeTool } from "./fake-tool.ts";
import { TestPerson } from "./test-person.ts";
import { guarded } from "./real-tools.ts";
import { modelsFor, type TestModels } from "./test-models.ts";
import type { TestDefinition } from "./test-file.ts";
import type { AgentTest } from "./test-schema.ts";
import { waitForTest } from "./wait-for-test.ts";

/** How a test went, and what of it the report does not tell. */
export interface FinishedTest extends AgentTestReport {
  readonly came: TestRunResult | undefined;
}

export async function runTest(
  written: TestDefinition,
  environment: TestEnvironment,
  signal?: AbortSignal,
): Promise<FinishedTest> {
  const since = performance.now();
  const problems: string[] = [];
  let run: { pid: string; came: TestRunResult } | undefined;
  try {
    run = await perform(written, environment, problems, signal);
    problems.push(...unmetExpectations(written.test.expect, run.came));
  } catch (error) {
    if (!(error instanceof SysError)) throw error; // RUN-TEST-3
    problems.push(error.hint === undefined ? error.message : `${error.message} (${error.hint})`);
  }
  return {
    name: written.test.name,
    file: written.file,
    ok: problems.length === 0,
    ms: Math.round(performance.now() - since),
    problems: [...new Set(problems)],
    calls: run?.came.madeCalls.filter(({ tool }) => tool !== null).length ?? 0,
    usd: run?.came.spent.usd ?? 0,
    pid: run?.pid ?? null,
    came: run?.came,
  };
}

async function perform(
  written: TestDefinition,
  environment: TestEnvironment,
  problems: string[],
  signal: AbortSignal | undefined,
): Promise<{ pid: string; came: TestRunResult }> {
  const { test } = written;
  const {
    agentFolders = [],
    scriptFolders = [],
    liveDriver,
    trusted = trustAnyFolder,
  } = environment.options;
  const agent = chooseAgent(written, agentFolders, trusted);
  const tell = (problem: string) => problems.push(problem);
  const models = modelsFor(written, {
    manifest: agent.manifest,
    folders: [agent.folder, ...scriptFolders],
    liveDriver,
    onNoModel: tell,
  });
  const kernel = await bootFor(test, agent, models, environment, tell);
  try {
    const workspace = workspaceOf(test, environment);
    const pid = await start(kernel, test, agent, workspace);
    const person = new TestPerson(kernel, test.approvals);
    const ending = await waitForTest(kernel, pid, {
      person,
      timeoutMs: test.timeout,
      mayWait: test.expect.state === "waiting",
      tell,
      signal,
    });
    const root = await rootOf(test, environment, pid, workspace);
    return { pid, came: await collectResult(kernel, ending, person, root, models) };
  } finally {
    await kernel.close();
  }
}

/** RUN-TEST-1. */
async function bootFor(
  test: AgentTest,
  { folder, project }: ChosenAgent,
  models: TestModels,
  environment: TestEnvironment,
  tell: (problem: string) => void,
): Promise<Kernel> {
  const { tools: own, projects } = environment.plugged;
  const known = await environment.toolsFor(folder);
  refuseUnknown(test.real, known);
  const guard = (tool: Tool): Tool => guarded(tool, { real: test.real, onRefused: tell });
  const fakes = Object.entries(test.tools).map(([name, fake]) =>
    fakeTool(name, fake, {
      real: known.find((tool) => tool.name === name),
      onUnanswered: tell,
    }),
  );
  const { texts, sources } = environment.policyFor([folder, project]);
  const {
    mayComeToBe = () => false,
    limits,
    approvals,
    agents,
    skills,
    programs,
  } = environment.options;
  const plugged = {
    // In its place: the order of the tools is part of what a model is shown.
    tools: own.map((tool) => fakes.find(({ name }) => name === tool.name) ?? guard(tool)),
    projects: {
      ...projects,
      prepare: projects.prepare.bind(projects),
      tools: (scope: ToolScope) => projects.tools(scope).map(guard),
      mayComeToBe: (name: string) => projects.mayComeToBe(name) || mayComeToBe(name),
    },
  };
  try {
    return await bootWith(environment.runner, plugged as typeof environment.plugged, {
      ...omitUndefined({ limits, approvals, agents, skills, programs }),
      tools: fakes.filter(({ name }) => own.every((tool) => tool.name !== name)),
      models: models.models,
      modelSource: models.modelSource,
      slots: models.slots,
      policy: sources,
      layersOf: (from) =>
        environment.layersAt([...(from === undefined ? [] : [from]), folder, project]),
      onTrouble: (what, error) => tell(`${what}: ${String(error)}`),
    });
  } catch (error) {
    const placed = problemLines(error, texts);
    if (placed.length > 0) throw yamlFailure([...placed]);
    throw error;
  }
}

function refuseUnknown(real: readonly string[], known: readonly Tool[]): void {
  const names = known.map(({ name }) => name);
  for (const one of real) {
    if (names.some((name) => isNamed(name, [one]))) continue;
    const meant = nearest(one, names);
    const hint = meant === undefined ? undefined : `did you mean ${meant}?`;
    throw new SysError("EINVAL", `real: unknown tool ${one}`, { hint });
  }
}

type Workspace = { readonly folder: string; readonly isCow: boolean } | undefined;

/** What it begins with is put into a folder, of which its workspace is a copy, unless the test says more. */
function workspaceOf({ files, workspace }: AgentTest, environment: TestEnvironment): Workspace {
  if (workspace === "own" && files === undefined) return undefined;
  const folder = environment.newFolder();
  for (const [path, text] of Object.entries(files ?? {})) {
    const file = join(folder, posix.normalize(path).slice("/work/".length));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return { folder, isCow: workspace !== "direct" };
}

async function start(
  kernel: Kernel,
  test: AgentTest,
  { start: what, folder, manifest }: ChosenAgent,
  workspace: Workspace,
): Promise<string> {
  const { input, capabilities, budget, label, grants = [], messages = [] } = test;
  const name = manifest?.name ?? ("agent" in what ? what.agent : "");
  if (grants.length > 0)
    await kernel.grant({ agent: name }, { capabilities: grants, by: "the test" });
  const { wall, ...limits } = budget ?? {};
  const pid = await kernel.spawn({
    ...what,
    folder,
    // A grant by name reaches the agent that the host finds by it: the test says that this one is.
    ...(grants.length > 0 ? { registeredAs: name } : {}),
    ...omitUndefined({ input, capabilities, workspace }),
    ...(label === undefined ? {} : { label: readLabel(label) }),
    ...(budget === undefined ? {} : { budget: omitUndefined({ ...limits, wallMs: wall }) }),
  });
  for (const { body, type, label: from } of messages)
    await kernel.send(pid, body, {
      ...omitUndefined({ type }),
      ...(from === undefined ? {} : { label: readLabel(from) }),
    });
  return pid;
}

/** The workspace on the machine, where the test looks into it. */
async function rootOf(
  { expect: { files } }: AgentTest,
  environment: TestEnvironment,
  pid: string,
  workspace: Workspace,
): Promise<string | undefined> {
  if (files === undefined) return undefined;
  const place = { tree: pid, tenant: DEFAULT_TENANT, workspace: workspace ?? { isCow: false } };
  return (await environment.runner.workspaces.of(place, () => true)).root;
}

async function collectResult(
  kernel: Kernel,
  ending: Ending,
  person: TestPerson,
  root: string | undefined,
  { otherRequests }: TestModels,
): Promise<TestRunResult> {
  const all = await kernel.list({ limit: 10_000 });
  const shown = await Promise.all(all.map(({ pid }) => kernel.show(pid)));
  const spent = shown.map(({ budget }) => budget.spent);
  const journals = all.map(async ({ pid }) => [pid, (await kernel.pastRun(pid)).records] as const);
  const madeCalls = callsMade(await Promise.all(journals));
  return {
    ending,
    label: shown.find(({ pid }) => pid === ending.pid)!.labels,
    spent: {
      usd: spent.reduce((sum, { usd }) => sum + usd, 0),
      tokens: spent.reduce((sum, { tokens }) => sum + tokens, 0),
      toolCalls: spent.reduce((sum, { toolCalls }) => sum + toolCalls, 0),
    },
    madeCalls: madeCalls.map((madeCall) => ({
      ...madeCall,
      rule: madeCall.rule ?? person.ruleOf(madeCall.pid, madeCall.n),
    })),
    fileAt: (path) => fileAt(root ?? "/", path),
    otherRequests,
  };
}

/** A link is nobody's file: it could lead anywhere. */
function fileAt(root: string, path: string): string | undefined {
  const file = join(root, posix.normalize(path).slice("/work/".length));
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true ? readFileSync(file, "utf8") : undefined;
}
