// A gate for tests whose services record their calls in order.
//
//   const { gate, noted, told, pass } = gateOf({ capabilities: ["tool:pay:call"] });
//   await pass("exec", { tool: "pay", args: {} });
//   expect(noted).toEqual(["intent", "durable", "ours", "pay runs", "outcome", "deliver"])

import type { Json, JournalRecord, SyscallName, SysError, Tool, Touch } from "@aos/protocol";
import { Channels } from "../../../kernel/src/approval/channels.ts";
import type { QuestionDraft, QuestionListener } from "../../../kernel/src/approval/questions.ts";
import { defaultApprovals, defaultLimits, type Channel } from "../../../kernel/src/options.ts";
import type { PendingCall, Process } from "../../../kernel/src/process/process.ts";
import type { Write } from "../../../kernel/src/store/contract.ts";
import type { QuestionRow } from "../../../kernel/src/store/rows.ts";
import type { GateServices } from "../../../kernel/src/syscall/gate-services.ts";
import { bindHandlers } from "../../../kernel/src/handlers/index.ts";
import type {
  FileServices,
  GrantServices,
  MessageServices,
  ModelServices,
  PersonServices,
  ProcessServices,
  TimeServices,
} from "../../../kernel/src/handlers/services.ts";
import { Gate } from "../../../kernel/src/syscall/gate.ts";
import type { JudgeRules } from "../../../kernel/src/syscall/judge.ts";
import { inspectNothing } from "../../../kernel/src/syscall/run-identity.ts";
import type { Settlement } from "../../../kernel/src/syscall/settlement.ts";
import {
  callOf,
  devicesOf,
  testJudgeRules,
  TEST_NOW,
  processOf,
  toolOf,
  type TestProcessOptions,
} from "./process.ts";

/** How a question comes out; by default nobody answers. */
type Says = (draft: QuestionDraft) => Partial<QuestionRow> | undefined;

interface GateWish extends TestProcessOptions {
  readonly rules?: readonly object[];
  readonly judgeRules?: Partial<JudgeRules>;
  readonly tools?: readonly Tool[];
  readonly says?: Says;
  readonly channels?: Readonly<Record<string, Channel>>;
  readonly services?: Partial<TestServices>;
}

/** One object for all: what a test gives stands in for every family. */
type TestServices = GateServices &
  TimeServices &
  GrantServices &
  ProcessServices &
  PersonServices &
  MessageServices &
  ModelServices &
  FileServices;

/** Who asks more often gets no answer: a test that goes in circles stops. */
const MOST_QUESTIONS = 20;

/** A yes by these people. */
export const saidBy = (...people: readonly string[]): Partial<QuestionRow> => ({
  answer: "approve",
  answeredBy: people.join(","),
  answeredAt: TEST_NOW,
});

export function gateOf({
  rules = [],
  judgeRules: more = {},
  tools = [],
  says,
  channels = {},
  services: own = {},
  ...wish
}: GateWish) {
  const process = processOf(wish);
  const laws = testJudgeRules(rules, more);
  const noted: string[] = [];
  const records: JournalRecord[] = [];
  const writes: Write[] = [];
  const told: Settlement["told"][] = [];
  const asked: { draft: QuestionDraft; on: QuestionListener }[] = [];
  const note = (what: string) => async () => void noted.push(what);
  const settle = (draft: QuestionDraft, on: QuestionListener): void => {
    const said = says?.(draft);
    if (said === undefined) return;
    on.heard({
      ...draft,
      joined: null,
      answer: null,
      reason: null,
      answeredBy: null,
      answeredAt: null,
      ...said,
    } as never);
  };
  const services = {
    journal: {
      append: (one: Process, text: string, wrote: Write[]) => {
        const record = JSON.parse(text) as JournalRecord;
        noted.push(record.kind);
        records.push(record);
        writes.push(...wrote);
        one.seq += 1;
      },
      durable: note("durable"),
      store: {
        standing: async () => [],
        votes: async (id: string) => {
          const by = asked.find(({ draft }) => draft.id === id);
          const { answeredBy = "" } = (by && says?.(by.draft)) ?? {};
          const votes = answeredBy!.split(",").map((person) => ({ person, choice: "approve" }));
          return [...votes, { person: "mallory", choice: "deny" }];
        },
      },
    },
    platform: { now: () => TEST_NOW, wall: () => TEST_NOW, random: () => 0.5 },
    live: { isHeard: () => false, tell: () => {} },
    devices: devicesOf(
      ...tools,
      toolOf("pay2", {
        effect: "external",
        run: async () => {
          noted.push("pay2 runs");
          return "paid";
        },
      }),
    ),
    files: { peek: async () => ({ label: "trusted/public" }) },
    questions: {
      channels: new Channels(channels),
      limits: { ...defaultApprovals, expiresMs: 5000 },
      ask: (_end: unknown, draft: QuestionDraft, on: QuestionListener) => {
        const before = asked.filter((one) => one.draft.id.startsWith(draft.id)).length;
        const row = before === 0 ? draft : { ...draft, id: `${draft.id}.${before}` };
        asked.push({ draft: row, on });
        if (asked.length <= MOST_QUESTIONS) setImmediate(() => settle(row, on));
        return () => void noted.push("stops asking");
      },
    },
    endings: {
      finish: (_of: unknown, { state, error }: { state: string; error: { message: string } }) =>
        noted.push(`${state}: ${error.message}`),
    },
    limits: defaultLimits,
    find: async () => undefined,
    hold: async () => {},
    inspect: inspectNothing,
    mark: async (_of: unknown, _action: unknown, touches: readonly { resource: string }[]) =>
      void noted.push(`mark ${touches.map(({ resource }) => resource).join()}`),
    labelOf: async (_asked: unknown, label: unknown) => label,
    saidOf: () => undefined,
    tellBudget: (_of: unknown, { part, unit }: { part: number; unit: string }) =>
      noted.push(`${part}% of ${unit}`),
    confirmOurs: note("ours"),
    wasBegun: () => false,
    rateWrites: (uses: readonly { key: string }[]) => uses.map(({ key }) => ({ op: "rate", key })),
    scrub: (text: string) => text.replaceAll("hunter2", "[secret]"),
    ...own,
  } as unknown as TestServices;
  const handlers = bindHandlers({
    time: services,
    grants: services,
    processes: services,
    persons: services,
    messages: services,
    tools: services,
    models: services,
    files: services,
  });
  const gate = new Gate(services, handlers, laws, {
    deliver: (_process, _call, one) => {
      noted.push("deliver");
      told.push(one);
    },
    waiting: () => noted.push("waits"),
  });
  /** Begins a call; its end is the promise. */
  const begin = (name: SyscallName, args: Json, of: Partial<PendingCall> = {}) => {
    const call = callOf(name, args, { n: told.length, ...of });
    process.pending.set(call.n, call);
    return { call, passed: gate.pass(process, call) };
  };
  /** What the program is told: the answer, or the code of the failure. */
  const pass = async (
    name: SyscallName,
    args: Json,
    of: Partial<PendingCall> = {},
  ): Promise<Json> => {
    const before = told.length;
    await begin(name, args, of).passed;
    const one = told[before];
    if (one === undefined) return "nothing";
    return "ok" in one ? one.ok : one.err.code;
  };
  return { gate, process, laws, noted, records, writes, told, asked, begin, pass };
}

export const execArgs = (tool: string, args: Json = {}): Json => ({ tool, args });

/** A tool that asks for these things while it runs, one after another; a text is a file to read. */
export const asking = (
  name: string,
  things: readonly (string | Touch)[],
  more: Partial<Tool> = {},
): Tool =>
  toolOf(name, {
    run: async (_args, context) =>
      things.map((thing) => {
        try {
          context.authorize(
            typeof thing === "string" ? { kind: "file", resource: thing, verb: "read" } : thing,
          );
          return "ok";
        } catch (error) {
          return (error as SysError).code;
        }
      }),
    ...more,
  });
