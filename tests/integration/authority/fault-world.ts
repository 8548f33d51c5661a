// A kernel in memory for faults: tools and a model that note whether they were reached, a secret, a
// policy that uses every part of the engine, and one system call of every kind to pass the gate.

import { bootKernel, type Kernel } from "@aos/kernel";
import type { Json, Label, ModelDriver, Sys, Tool } from "@aos/protocol";
import { layer } from "../../helpers/policy.ts";
import { outside, reach, type Trial } from "./faults.ts";

export const SECRET = "tok-of-the-fault-test-0123456789abcdef";
const PLACE = { kind: "header", origin: "https://api.example.com", header: "x-key" } as const;
const BINDING = { kind: "header", origin: "https://api.example.com", header: "x-key" };
const CLEAN: Label = { integrity: "trusted", secrecy: "public" };
const RED: Label = { integrity: "untrusted", secrecy: "internal" };

/** What a fault must not have let through. */
export interface Seen {
  trial: Trial | undefined;
  /** A tool or model started although a fault had been thrown. */
  ranAfterFault: boolean;
  ran: boolean;
  /** A tool with an external effect started without its intent on the disk. */
  ranUnrecorded: boolean;
  /** What the program was told. */
  told: string | undefined;
}

export interface Scenario {
  readonly name: string;
  readonly call: string;
  readonly capabilities: readonly string[];
  readonly label?: Label;
  readonly make: (sys: Sys, friend: string) => Promise<unknown>;
  /** What the program is told when nothing fails. */
  readonly tells: RegExp;
  /** What it does cannot be done twice: each try needs a kernel of its own. */
  readonly changes?: true;
}

const file = (resource: string, verb: string) => ({ kind: "file", resource, verb });

function tools(seen: Seen, kernel: () => Kernel): Tool[] {
  const tool = (name: string, effect: Tool["effect"], run: Tool["run"], more = {}): Tool => ({
    name,
    version: "1",
    description: name,
    input: {},
    effect,
    label: CLEAN,
    refuses: () => {
      reach("tool.refuses");
      return undefined;
    },
    touches: () => {
      reach("tool.touches");
      return [file("/work/a", "read")];
    },
    sinks: () => {
      reach("tool.sinks");
      return effect === "external" ? ["egress"] : effect === "idempotent" ? ["write"] : [];
    },
    run: async (args, context) => {
      await noteRun(seen, effect === "external" ? () => kernel().journal(context.pid) : undefined);
      return run(args, context);
    },
    ...more,
  });
  const pay: Tool["run"] = async (_args, context) => {
    context.authorize(file("/work/b", "read"));
    context.label({ ...CLEAN, secrecy: "internal" });
    return { echoed: context.secret("TOKEN", PLACE) };
  };
  return [
    tool("pay", "external", pay),
    tool("fail", "external", async () => {
      throw new Error(`the far side said ${SECRET}`);
    }),
    tool("post", "external", async (_args, context) => ({ echoed: context.key + SECRET })),
    tool("look", "read", async () => "seen"),
    tool("save", "idempotent", async () => "saved", {
      touches: () => [file("/work/a", "read"), file("/work/c", "write")],
    }),
  ];
}

async function noteRun(seen: Seen, journal?: () => ReturnType<Kernel["journal"]>): Promise<void> {
  seen.ran = true;
  seen.ranAfterFault ||= seen.trial?.thrown === true;
  if (journal === undefined) return;
  const records = await outside(journal);
  seen.ranUnrecorded ||= !records.some(({ kind }) => kind === "intent");
}

const model = (seen: Seen): ModelDriver => ({
  provider: "fake",
  egress: true,
  worstCase: () => {
    reach("model.worstCase");
    return { usd: 0.01, tokens: 100 };
  },
  infer: async () => {
    await noteRun(seen);
    return {
      text: SECRET,
      toolCalls: [],
      finish: "stop",
      usage: { inputTokens: 20, outputTokens: 30 },
      usd: 0.005,
    };
  },
});

const POLICY = [
  layer(
    "test",
    { id: "all", allow: "*", when: "size(args) >= 0 || true" },
    {
      id: "paced",
      allow: "exec",
      rate: "100000/s",
      constraints: { timeout: "1h", maxBytes: "1MB" },
    },
    { id: "marks", after: "tool:pay", deny: "tool:fail", when: "false" },
    { id: "watched", shadow: "deny", of: "file:/work/**" },
    { id: "red", ask: "sink:egress", when: 'label.integrity == "untrusted" && !pinned' },
    { id: "never", kill: "exec", when: "spent.usd > 1000.0" },
  ),
  {
    ...layer("second", { id: "all", allow: "*" }),
    document: {
      version: 1,
      rules: [{ id: "all", allow: "*" }],
      labels: [{ of: "file:/work/a", label: "mixed/internal" }],
    },
  },
];

const COUNTED = "{max:100000,rate:100000/s,bytes:100MB,usd:1000,timeout:1h}";
const FILES = `file:/work/**:read,write${COUNTED}`;

const exec = (tool: string) => ({
  call: "exec",
  capabilities: [`tool:${tool}:call${COUNTED}`, FILES, "secret:TOKEN:use"],
  make: (sys: Sys) => sys.exec(tool, { to: "ada" }),
  tells: /^ok/,
});

export const SCENARIOS: readonly Scenario[] = [
  { name: "a tool with an external effect and a secret", ...exec("pay") },
  { name: "a tool that fails and says a secret", ...exec("fail"), tells: /^EUPSTREAM/ },
  { name: "a tool that reads", ...exec("look") },
  {
    name: "a tool that writes a file, in a process that has read untrusted things",
    ...exec("save"),
    label: RED,
  },
  { name: "a tool that a person has to allow", ...exec("post"), label: RED },
  {
    name: "a model",
    call: "infer",
    capabilities: [`model:fake/*:infer${COUNTED}`],
    make: (sys) => sys.infer({ model: "fake/one", messages: [] }),
    tells: /^ok/,
  },
  {
    name: "a write over what was trusted",
    call: "write",
    capabilities: ["memory:/mem/shared/**:read,write"],
    label: RED,
    make: (sys) => sys.write("/mem/shared/rules", "worse"),
    tells: /^ok/,
    changes: true,
  },
  {
    name: "a removal",
    call: "remove",
    capabilities: ["memory:/mem/shared/**:remove"],
    make: (sys) => sys.remove("/mem/shared/rules"),
    tells: /^ok/,
    changes: true,
  },
  {
    name: "a child",
    call: "spawn",
    capabilities: [`agent:idle:spawn{max:100000}`],
    make: (sys) => sys.spawn("idle", null, { capabilities: [] }),
    tells: /^ok/,
  },
  {
    name: "a message",
    call: "send",
    capabilities: ["message:*:send"],
    make: (sys, friend) => sys.send(friend, "hello"),
    tells: /^ok/,
  },
  {
    name: "a grant",
    call: "grant",
    capabilities: ["message:*:send", "tool:look:call"],
    make: (sys, friend) => sys.grant(friend, ["tool:look:call"]),
    tells: /^ok/,
  },
  {
    name: "a signal",
    call: "signal",
    capabilities: ["signal:*:send"],
    make: (sys, friend) => sys.signal(friend, "SIGUSR1"),
    tells: /^ok/,
  },
];

export interface FaultWorld {
  readonly kernel: Kernel;
  readonly friend: string;
}

/** A kernel with one other process in it, and a file that it trusts. */
export async function bootWorld(seen: Seen, scenario: Scenario): Promise<FaultWorld> {
  let kernel: Kernel | undefined;
  const doer = async (sys: Sys, friend: Json): Promise<Json> => {
    try {
      const value = await scenario.make(sys, friend as string);
      seen.told = `ok ${JSON.stringify(value ?? null)}`;
    } catch (error) {
      seen.told = `${(error as { code?: string }).code} ${(error as Error).message}`;
    }
    return null;
  };
  const idle = async (sys: Sys): Promise<Json> => {
    for (;;) await sys.receive();
  };
  const founder = async (sys: Sys): Promise<Json> => {
    await sys.write("/mem/shared/rules", "as they are");
    return null;
  };
  const reader = (sys: Sys): Promise<Json> => sys.read("/mem/shared/rules");
  kernel = await bootKernel({
    store: "memory",
    policy: POLICY,
    secretKey: "ab".repeat(32),
    tools: tools(seen, () => kernel!),
    models: [model(seen)],
    programs: { doer, idle, founder, reader },
    limits: { treeProcesses: 1_000_000 },
    approvals: { perHour: 1_000_000 },
    onTrouble: () => {},
  });
  await kernel.setSecret({ name: "TOKEN", value: SECRET, bindings: [BINDING] }, "alice");
  const capabilities = ["memory:/mem/shared/**:write"];
  await kernel.wait(await kernel.spawn({ agent: "founder", capabilities }));
  return { kernel, friend: await kernel.spawn({ agent: "idle" }) };
}
