// Recorded run: what of a run a test needs to have it again, read from its records.
//
// RECORDED-RUN-1  What models answered, in the order in which they were asked; what the gate refused was
//     never asked.
// RECORDED-RUN-2  What tools returned or failed with, by arguments, each once and in order; with the
//     label that the process had when it was told, so that it is marked again as it was.
// RECORDED-RUN-3  What people said, and what the operator sent or gave.

import { labelText, readLabel, type RecordedRun } from "@aos/kernel";
import {
  isApproved,
  type CallRecord,
  type FailureText,
  type InferReply,
  type IntentRecord,
  type Json,
  type JsonObject,
  type Label,
  type OutcomeRecord,
  type SyscallArgs,
} from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";
import { isRefusal } from "./made-calls.ts";
import { messagesDigest, type RecordedAnswer } from "./recording.ts";

/** A call that came to its end. */
export interface RunCall {
  readonly n: number;
  readonly call: string;
  readonly args: JsonObject;
  readonly ok: Json | undefined;
  readonly err: FailureText | undefined;
  readonly usd: number;
  readonly verdict: string;
  /** Of the process, when it was told. */
  readonly label: string;
}

export function runCalls({ records, label: born }: RecordedRun): RunCall[] {
  const intents = new Map<number, IntentRecord>();
  const calls: RunCall[] = [];
  let label = born;
  for (const record of records) {
    if (record.kind === "intent") intents.set(record.n, record);
    if (record.kind !== "call" && record.kind !== "outcome") continue;
    if (record.label !== undefined) label = readLabel(record.label);
    const begun = record.kind === "call" ? record : intents.get(record.n);
    if (begun !== undefined) calls.push(pastOf(begun, record, label));
  }
  return calls.toSorted((one, other) => one.n - other.n);
}

function pastOf(
  { n, call, args }: CallRecord | IntentRecord,
  { ok, err, usd = 0, verdict = "" }: CallRecord | OutcomeRecord,
  label: Label,
): RunCall {
  // Marks are put on by the policy, and so again in the test.
  const { tags: _marks, ...plain } = label;
  const given = (args ?? {}) as JsonObject;
  return { n, call, args: given, ok, err, usd, verdict, label: labelText(plain) };
}

/** RECORDED-RUN-1. */
export function modelAnswers(calls: readonly RunCall[]): RecordedAnswer[] {
  return calls
    .filter(({ call, err }) => call === "infer" && !(err !== undefined && isRefusal(err)))
    .map(({ args, ok, err, usd }) => {
      const { messages } = args as unknown as SyscallArgs<"infer">;
      const asked = messagesDigest(messages);
      if (err !== undefined) return { asked, error: omitUndefined(errorOf(err)) as ErrorText };
      const { text, toolCalls, finish, usage, reasoning, context } = ok as unknown as InferReply;
      return omitUndefined({
        asked,
        say: text === "" && toolCalls.length > 0 ? undefined : text,
        call: toolCalls.length === 0 ? undefined : [...toolCalls],
        reasoning: reasoning === undefined ? undefined : [...reasoning],
        finish,
        usage,
        usd: usd > 0 ? usd : undefined,
        window: context?.window,
      }) as RecordedAnswer;
    });
}

type ErrorText = NonNullable<RecordedAnswer["error"]>;

const errorOf = ({ code, message, hint }: FailureText) => ({ code, message, hint });

/** RECORDED-RUN-2. */
export function toolAnswers(calls: readonly RunCall[]): Map<string, Json[]> {
  const byTool = new Map<string, Json[]>();
  for (const { call, args: given, ok, err, label } of calls) {
    if (call !== "exec" || (err !== undefined && (isRefusal(err) || isAbsent(err)))) continue;
    const { tool, args } = given as { tool: string; args: Json };
    const when = isObject(args) && Object.keys(args).length > 0 ? { when: args } : {};
    const came =
      err === undefined
        ? { return: ok ?? null }
        : { error: omitUndefined(errorOf(err)) as unknown as Json };
    const answers = byTool.get(tool) ?? [];
    answers.push({ ...when, times: 1, ...came, label });
    byTool.set(tool, answers);
  }
  return byTool;
}

/** The model made it up: a fake would make it come true. */
const isAbsent = ({ code, detail }: FailureText): boolean =>
  code === "ENOENT" && Object.hasOwn((detail ?? {}) as object, "noTool");

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** RECORDED-RUN-3: as `approvals` of a test. */
export function personAnswers(calls: readonly RunCall[]): Json[] {
  return calls.flatMap(({ call, args, ok, err, verdict }): Json[] => {
    if (call === "ask" && ok !== undefined) {
      const said = ok as string;
      const isProposal = args["propose"] !== undefined;
      const answer = isProposal ? (said === "approve" ? "allow" : "deny") : said;
      return [{ question: (args["question"] as string).slice(0, 200), answer, times: 1 }];
    }
    const hasAllowed = isApproved(verdict);
    if (!hasAllowed && err?.code !== "EDENIED") return [];
    const which = call === "exec" ? { tool: args["tool"] as string } : { call };
    return [{ ...which, answer: hasAllowed ? "allow" : "deny", times: 1 }];
  });
}

/** RECORDED-RUN-3: as `messages` of a test. */
export function sentByOperator(calls: readonly RunCall[]): Json[] {
  return calls.flatMap(({ call, ok, label }): Json[] => {
    const heard = ok as { from?: string; type: string; body: Json } | undefined;
    return call === "receive" && heard?.from === "operator"
      ? [{ body: heard.body, type: heard.type, label }]
      : [];
  });
}

/** RECORDED-RUN-3: as `grants` of a test. */
export const givenByOperator = ({ records }: RecordedRun): string[] =>
  records.flatMap((record) => (record.kind === "grant" ? [...record.capabilities] : []));
