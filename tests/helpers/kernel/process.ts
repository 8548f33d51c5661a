// Processes, actions and laws for tests: a process that holds nothing, under a policy that allows
// everything, with whatever a test is about on top.

import type { Budget, Json, Label, ProcessId, SyscallName, Tool } from "@aos/protocol";
import { Account } from "../../../kernel/src/budget/accounts.ts";
import { attenuateBlock, parseCapability } from "../../../kernel/src/capability/index.ts";
import { Devices } from "../../../kernel/src/device/devices.ts";
import { CLEAN } from "../../../kernel/src/label/label.ts";
import { compileLayer } from "../../../kernel/src/policy-formats/compile.ts";
import { Policy } from "../../../kernel/src/policy/index.ts";
import { type PendingCall, Process } from "../../../kernel/src/process/process.ts";
import type { ProcessRow } from "../../../kernel/src/store/rows.ts";
import { describe, type Action } from "../../../kernel/src/syscall/action.ts";
import type { CallFacts } from "../../../kernel/src/syscall/facts.ts";
import { refusalWords } from "../../../kernel/src/refusal/refusals.ts";
import type { JudgeRules } from "../../../kernel/src/syscall/judge.ts";

export const TEST_NOW = Date.parse("2027-01-04T09:30:00Z");

export function testProcessRow(more: Partial<ProcessRow> = {}): ProcessRow {
  return {
    key: 7,
    tenant: 1,
    pid: "agt_7",
    agent: "writer",
    parent: null,
    parentPid: null,
    root: 7,
    depth: 0,
    state: "running",
    waitingOn: null,
    wakeAt: null,
    base: 0,
    label: null,
    exitCode: null,
    startedAt: TEST_NOW,
    endedAt: null,
    output: null,
    error: null,
    compacted: false,
    ...more,
    spec: {
      program: "writer",
      programVersion: "1",
      manifestHash: "",
      blocks: [],
      budget: {},
      label: CLEAN,
      ...more.spec,
    },
  };
}

export interface TestProcessOptions {
  readonly capabilities?: readonly string[];
  readonly budget?: Budget;
  readonly label?: Label;
  readonly row?: Partial<ProcessRow>;
}

export function processOf({
  capabilities = [],
  budget = {},
  label = CLEAN,
  row,
}: TestProcessOptions): Process {
  const process = new Process({
    row: testProcessRow(row),
    chain: {
      process: 7,
      node: "here",
      epoch: 1,
      seq: 4,
      hash: new Uint8Array(32),
      microUsd: 0,
      tokens: 0,
      toolCalls: 0,
      overMicroUsd: 0,
      overTokens: 0,
      formerUsd: 0,
    },
    tenantName: "acme",
    manifest: {} as never,
    block: attenuateBlock(null, capabilities.map(parseCapability), {
      id: "birth",
      mintedAt: TEST_NOW,
    }),
    account: new Account(7, budget, null, { microUsd: 0, tokens: 0, toolCalls: 0 }),
  });
  process.label = label;
  process.recordedLabel = label;
  return process;
}

/** One more chain, behind this handle. */
export function grantTo(
  process: Process,
  handle: string,
  capabilities: readonly string[],
  more: { readonly standing?: string; readonly runs?: string; readonly trusted?: boolean } = {},
): void {
  const mint = { id: handle, mintedAt: TEST_NOW, ...more };
  process.holdings.add({
    handle,
    block: attenuateBlock(null, capabilities.map(parseCapability), mint),
  });
}

export const toolOf = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  version: "1",
  description: name,
  input: {},
  effect: "read",
  label: CLEAN,
  touches: () => [],
  run: async () => "done",
  ...more,
});

/** `look`, `set` and `pay`: one tool of each effect. A model may cost a cent and 100 tokens. */
export const devicesOf = (...tools: readonly Tool[]): Devices =>
  new Devices(
    [
      toolOf("look"),
      toolOf("set", { effect: "idempotent" }),
      toolOf("pay", { effect: "external" }),
      ...tools,
    ],
    ["far", "near"].map((provider) => ({
      provider,
      egress: provider === "far",
      worstCase: () => ({ usd: 0.01, tokens: 100 }),
      infer: () => Promise.reject(new Error("it is not to be run")),
    })),
  );

export function actionOf(
  process: Process,
  name: SyscallName,
  args: Json,
  { tools = [], facts = {} }: { readonly tools?: readonly Tool[]; readonly facts?: CallFacts } = {},
): Action {
  return describe({ name, args }, process, devicesOf(...tools), facts);
}

export const execOf = (
  process: Process,
  tool: string,
  args: Json = {},
  more: Tool[] = [],
): Action => actionOf(process, "exec", { tool, args }, { tools: more });

export const inferOf = (process: Process, model = "far/x"): Action =>
  actionOf(process, "infer", { model, messages: [] });

export interface TestJudgeRules extends JudgeRules {
  /** The quotas that were taken and given back, by call. */
  readonly taken: string[];
}

/** These rules over one that allows everything; `more` are further layers by name. */
export function testJudgeRules(
  rules: readonly object[] = [],
  more: Partial<JudgeRules> & { readonly layers?: Readonly<Record<string, object>> } = {},
): TestJudgeRules {
  const known = {
    tools: new Set(["look", "set", "pay"]),
    agents: () => true,
    channels: new Set(["finance", "legal"]),
  };
  const { layers = {}, ...laws } = more;
  const taken: string[] = [];
  const policy = new Policy([
    compileLayer(
      "org",
      {
        format: "policy",
        document: { version: 1, rules: [{ id: "rest", allow: "*" }, ...rules] },
        origin: "policy.yaml",
      },
      known,
    ),
    ...Object.entries(layers).map(([name, document]) =>
      compileLayer(name, { format: "security.md", document, origin: `${name}.md` }, known),
    ),
  ]);
  return {
    taken,
    words: refusalWords,
    policy: () => policy,
    layersFor: ({ layers: own }) => ["org", ...own],
    quota: () => {},
    charge: (_process, { call }) => void taken.push(call),
    release: (_process, { call }) => void taken.push(`-${call}`),
    isApproved: () => false,
    ...laws,
  };
}

export function callOf(
  name: SyscallName,
  args: Json = {},
  more: Partial<PendingCall> = {},
): PendingCall {
  return {
    n: 3,
    id: 3,
    name,
    args,
    text: JSON.stringify(args),
    blobs: [],
    chain: undefined,
    cause: 2,
    waitsOn: null,
    hold: undefined,
    dormant: false,
    until: undefined,
    touches: [],
    cancelled: false,
    onCancel: undefined,
    failureLabel: undefined,
    also: [],
    chains: [],
    inquiries: 0,
    stopInquiry: undefined,
    heldBy: undefined,
    expiresAt: undefined,
    onExpiryChange: undefined,
    interrupt: undefined,
    ...more,
  };
}

/** Somebody else's process, as its row. */
export const targetOf = (more: Partial<ProcessRow> = {}): ProcessRow =>
  testProcessRow({ key: 9, pid: "agt_9" as ProcessId, agent: "helper", ...more });

/** What it throws. */
export function thrownBy(run: () => unknown): Error & { code?: string; hint?: string } {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it threw nothing");
}
