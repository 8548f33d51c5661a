// Record text: the bytes of each kind of record, written by hand so that arguments are serialised once. The order of
// the members is part of the format: replay writes the same text again.

import type {
  Cause,
  CrashRecord,
  EndRecord,
  FailureText,
  ForkRecord,
  GrantRecord,
  IntentRecord,
  JournalRecord,
  Narrowing,
  RestartRecord,
  RevokeRecord,
  SignalRecord,
  StartRecord,
} from "@aos/protocol";

export interface SettledOutcome {
  /** Encoded text of the value; absent when it failed. */
  readonly ok?: string | undefined;
  readonly err?: FailureText | undefined;
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
  readonly label?: string | undefined;
  readonly verdict?: string | undefined;
  readonly stored?: string | undefined;
  readonly also?: readonly (readonly [string, string, string])[] | undefined;
  readonly heldBy?: string | undefined;
  readonly narrowing?: Narrowing | undefined;
  readonly over?: { readonly usd?: number; readonly tokens?: number } | undefined;
}

const cause = (value: Cause): string =>
  typeof value === "number" ? String(value) : JSON.stringify(value);

/** What follows the arguments of a call, without the bracket at its end. */
export function settledText(settled: SettledOutcome): string {
  let text =
    settled.err === undefined
      ? `,"ok":${settled.ok ?? "null"}`
      : `,"err":${JSON.stringify(settled.err)}`;
  if (settled.usd !== undefined) text += `,"usd":${settled.usd}`;
  if (settled.tokens !== undefined) text += `,"tokens":${settled.tokens}`;
  if (settled.label !== undefined) text += `,"label":${JSON.stringify(settled.label)}`;
  if (settled.verdict !== undefined) text += `,"verdict":${JSON.stringify(settled.verdict)}`;
  if (settled.stored !== undefined) text += `,"stored":${JSON.stringify(settled.stored)}`;
  if (settled.also !== undefined) text += `,"also":${JSON.stringify(settled.also)}`;
  if (settled.heldBy !== undefined) text += `,"heldBy":${JSON.stringify(settled.heldBy)}`;
  if (settled.narrowing !== undefined) text += `,"narrowing":${JSON.stringify(settled.narrowing)}`;
  if (settled.over !== undefined) text += `,"over":${JSON.stringify(settled.over)}`;
  return text;
}

interface Head {
  readonly seq: number;
  readonly at: number;
  readonly cause: Cause;
}

export const callText = (
  head: Head,
  n: number,
  call: string,
  args: string,
  settled: SettledOutcome,
): string =>
  `{"kind":"call","seq":${head.seq},"at":${head.at},"cause":${cause(head.cause)},"n":${n},"call":"${call}","args":${args}${settledText(settled)}}`;

export const outcomeText = (head: Head, n: number, settled: SettledOutcome): string =>
  `{"kind":"outcome","seq":${head.seq},"at":${head.at},"cause":${cause(head.cause)},"n":${n}${settledText(settled)}}`;

export const intentText = (
  head: Head,
  {
    n,
    call,
    args,
    key,
    attempt,
  }: Pick<IntentRecord, "n" | "call" | "key" | "attempt"> & { args: string },
): string =>
  `{"kind":"intent","seq":${head.seq},"at":${head.at},"cause":${cause(head.cause)},"n":${n},"call":"${call}","args":${args},"key":${JSON.stringify(key)},"attempt":${attempt}}`;

type Plain = SignalRecord | RestartRecord | CrashRecord | ForkRecord | GrantRecord | RevokeRecord;

/** The rarer kinds, whose text is simply their JSON in a fixed order. */
export function plainText(record: Plain): string {
  const { kind, seq, at, cause, ...rest } = record;
  return JSON.stringify({ kind, seq, at, cause, ...rest });
}

export const startText = (
  head: Head,
  start: Pick<StartRecord, "schema" | "program" | "manifest" | "capabilities" | "birth">,
  input: string,
): string =>
  `{"kind":"start","seq":${head.seq},"at":${head.at},"cause":${cause(head.cause)},"schema":${start.schema},"program":${JSON.stringify(start.program)},"manifest":"${start.manifest}","capabilities":${JSON.stringify(start.capabilities)},"birth":"${start.birth}","input":${input}}`;

export const endText = (
  head: Head,
  end: Pick<EndRecord, "state" | "code" | "error">,
  output: string | undefined,
  { usd, tokens }: Pick<EndRecord, "usd" | "tokens"> = {},
): string =>
  `{"kind":"end","seq":${head.seq},"at":${head.at},"cause":${cause(head.cause)},"state":"${end.state}","code":${end.code}${
    output === undefined ? "" : `,"output":${output}`
  }${end.error === undefined ? "" : `,"error":${JSON.stringify(end.error)}`}${
    usd === undefined ? "" : `,"usd":${usd}`
  }${tokens === undefined ? "" : `,"tokens":${tokens}`}}`;

export const parseRecord = (text: string): JournalRecord => JSON.parse(text) as JournalRecord;
