// Settlement: the cost, the label and the record text of a finished call.
//
// RESULT-LABELS-1  The label of a result is the policy's label for what was touched, else the tool's own; joined with
//     the marks of the files that were read, and with what a program that ran for it could see.
// RESULT-LABELS-2  Only files have marks: a call that touched none needs no lookup.

import {
  type FailureText,
  type Json,
  type Label,
  SysError,
  type Touch,
  usdOf,
} from "@aos/protocol";
import { NOTHING, type SettledCost, type ThresholdCrossing } from "../budget/accounts.ts";
import { NO_OVERRUN, type Overrun } from "../budget/cover.ts";
import { bytesLeft, settleCharges } from "../capability/index.ts";
import { encodeText, scrubbedCopy } from "../journal/codec.ts";
import { callText, outcomeText, type SettledOutcome } from "../journal/record-text.ts";
import { join, labelText } from "../label/label.ts";
import type { ResourceLabels } from "../label/resource-labels.ts";
import { readLocations } from "../label/workspace-location.ts";
import { BlockRegistry } from "../process/blocks.ts";
import { narrow, narrowingField } from "../process/narrowing.ts";
import type { PendingCall, Process } from "../process/process.ts";
import { requestId } from "../process/requests.ts";
import { costOfFailed, spendOf } from "../process/spending.ts";
import type { Write } from "../store/base-contract.ts";
import type { SpendRow } from "../store/spend-row.ts";
import type { Action } from "./action.ts";
import type { Permit } from "./judge.ts";
import type { CallContext, SyscallResult } from "./syscall-handler.ts";

/** So many digests are remembered for a process; to forget one only costs writing it again. */
const MAX_KNOWN_BLOBS = 10_000;

const NOTHING_MORE: Partial<SyscallResult> = {};
const NOTHING_SPENT: readonly SpendRow[] = [];
const NONE_CROSSED: readonly ThresholdCrossing[] = [];
const NO_WRITES: readonly Write[] = [];

/** A call that has been tried: as far as it got, and what came of it. */
export interface CallOutcome {
  readonly process: Process;
  readonly call: PendingCall;
  readonly action: Action | undefined;
  readonly allowed: Permit | undefined;
  readonly answered: SyscallResult | undefined;
  readonly failure: SysError | undefined;
}

export interface Settlement {
  readonly record: string;
  readonly writes: Write[];
  readonly spend: readonly SpendRow[];
  /** The limits of which a part is passed now. */
  readonly crossings: readonly ThresholdCrossing[];
  readonly told: { ok: Json } | { err: ReturnType<SysError["toText"]> };
}

/** Settles accounts and labels, and writes the record. `nowMs` is the record's time. */
export function settle(
  tried: CallOutcome,
  nowMs: number,
  scrub: (text: string) => string,
): Settlement {
  const { process, call, action, allowed, answered } = tried;
  const { text, value, failure } = resultOf(tried, scrub);
  const reported =
    answered?.spent ?? (failure === undefined ? NOTHING : costOfFailed(call, failure));
  let cost: SettledCost = { spent: reported, over: NO_OVERRUN, crossings: NONE_CROSSED };
  if (action !== undefined && allowed !== undefined) {
    cost = allowed.hold?.settle(reported, nowMs) ?? cost;
    const bytes = failure === undefined ? text.length : 0;
    const microUsd = cost.spent.microUsd + cost.over.microUsd;
    settleCharges(allowed.charges, { microUsd, worst: action.worst.microUsd, bytes });
  }
  const { spent, over, crossings } = cost;
  const read = failure === undefined ? answered?.label : (call.failureLabel ?? answered?.label);
  const label = read === undefined ? process.label : join(process.label, read);
  const isChanged = label !== process.recordedLabel || call.name === "checkpoint";
  process.label = label;
  process.recordedLabel = label;

  const { narrows } = failure === undefined ? (answered ?? NOTHING_MORE) : NOTHING_MORE;
  const isNarrower = narrows !== undefined && narrow(process, narrows.skill, narrows.tools);

  const ok = failure === undefined ? encodeText(text) : undefined;
  const err =
    failure === undefined
      ? undefined
      : (JSON.parse(scrub(JSON.stringify(failure.toText()))) as FailureText);
  const settled: SettledOutcome = {
    ok: ok?.text,
    err,
    usd: spent.microUsd > 0 ? usdOf(spent.microUsd) : undefined,
    tokens: spent.tokens > 0 ? spent.tokens : undefined,
    label: isChanged ? labelText(label) : undefined,
    verdict: together(
      together(allowed?.verdict, answered?.verdict),
      together(saidLimit(action), saidOver(over)),
    ),
    stored: failure === undefined ? answered?.stored : undefined,
    also: call.also.length === 0 ? undefined : call.also,
    heldBy: call.heldBy,
    narrowing:
      isNarrower || call.name === "checkpoint" ? narrowingField(process).narrowing : undefined,
    over: over === NO_OVERRUN ? undefined : { usd: usdOf(over.microUsd), tokens: over.tokens },
  };
  const head = { seq: process.seq + 1, at: nowMs, cause: answered?.cause ?? call.cause };
  const isBegun = call.intent !== undefined;
  const writes: Write[] = [];
  if (!isBegun) writes.push(...argumentWrites(process, call, head.seq));
  if (ok !== undefined) writes.push(...blobWrites(process, ok.blobs));
  if (failure === undefined && answered?.writes !== undefined) writes.push(...answered.writes);
  // Only now is it known which record this is: a signal may have been recorded since it was answered.
  if (failure === undefined && call.name === "checkpoint")
    writes.push({ op: "process.patch", key: process.key, patch: { base: head.seq } });
  if (isBegun && call.name === "request")
    writes.push({ op: "request.close", id: requestId(process.pid, call.n) });
  if (allowed !== undefined && allowed.charges.length > 0)
    writes.push(...BlockRegistry.writes(allowed.charges, process.tenant));
  return {
    record: isBegun
      ? outcomeText(head, call.n, settled)
      : callText(head, call.n, call.name, call.text, settled),
    writes,
    spend: spent === NOTHING ? NOTHING_SPENT : [spendOf(process, call, spent, nowMs, over)],
    crossings,
    told: err === undefined ? { ok: value } : { err },
  };
}

const saidLimit = (action: Action | undefined): string | undefined =>
  action?.maxTokens === undefined
    ? undefined
    : `maxTokens: ${action.maxTokens}, what the budget covers`;

const saidOver = (over: Overrun): string | undefined =>
  over === NO_OVERRUN ? undefined : "it reported more than was reserved for it";

const together = (one: string | undefined, two: string | undefined): string | undefined =>
  one === undefined ? two : two === undefined ? one : `${one}; ${two}`;

const NO_RESULT: ReturnType<typeof scrubbedCopy> = { text: "null", value: null };

/** A result that JSON cannot carry, or that a grant or a rule has no room for, is a failure. */
function resultOf(
  { allowed, answered, failure }: CallOutcome,
  scrub: (text: string) => string,
): {
  text: string;
  /** What the program is told: of the text, and nothing that whoever answered still holds. */
  value: Json;
  failure: SysError | undefined;
} {
  if (answered === undefined) return { ...NO_RESULT, failure };
  let result = NO_RESULT;
  try {
    if (answered.value !== null) result = scrubbedCopy(answered.value, scrub);
  } catch (error) {
    return {
      ...NO_RESULT,
      failure: new SysError("EUPSTREAM", `the result is ${(error as Error).message}`),
    };
  }
  const left =
    allowed === undefined
      ? Infinity
      : Math.min(bytesLeft(allowed.charges), allowed.maxBytes ?? Infinity);
  const { text, value } = result;
  if (text.length <= left) return { text, value, failure };
  return {
    text,
    value,
    failure: new SysError(
      "EBUDGET",
      `the result has ${text.length} bytes, and there is room for ${left}`,
    ),
  };
}

/**
 * The blobs of a call's arguments. The next model request goes on from the messages of this one. Of a state
 * what the state before did not have is put: older ones may have been dropped.
 */
export function argumentWrites(process: Process, call: PendingCall, seq: number): readonly Write[] {
  const { name, blobs, chain } = call;
  if (chain !== undefined) process.lastChain = chain;
  if (name !== "checkpoint") return blobWrites(process, blobs);
  const fresh = blobs.filter(({ digest }) => !process.stateParts.has(digest));
  process.stateParts = new Set(blobs.map(({ digest }) => digest));
  const { tenant, key } = process;
  return fresh.map((blob) => ({ op: "blob.put", tenant, process: key, state: seq, ...blob }));
}

/** The blobs that this process has not put before: a conversation shows all of its messages every time. */
export function blobWrites(process: Process, blobs: PendingCall["blobs"]): readonly Write[] {
  if (blobs.length === 0) return NO_WRITES;
  if (process.blobsPut.size > MAX_KNOWN_BLOBS) process.blobsPut.clear();
  const fresh = blobs.filter(({ digest }) => !process.blobsPut.has(digest));
  for (const { digest } of fresh) process.blobsPut.add(digest);
  return fresh.map((blob) => ({
    op: "blob.put",
    tenant: process.tenant,
    process: process.key,
    ...blob,
  }));
}

interface Parts {
  readonly resources: Pick<ResourceLabels, "of">;
  readonly saidOf: (context: CallContext) => Label | undefined;
}

const isFile = ({ kind }: Touch): boolean => kind === "file";

export const resultLabels =
  ({ resources, saidOf }: Parts) =>
  (context: CallContext, own: Label): Label | Promise<Label> => {
    const said = (): Label => {
      const label = saidOf(context) ?? own;
      const { seen } = context.permit;
      return seen === undefined ? label : join(label, seen);
    };
    const looked = async (): Promise<Label> => {
      await context.marked;
      const marks = await resources.of(readLocations(context.touched, context.process));
      return marks === undefined ? said() : join(said(), marks);
    };
    return context.marked === undefined && !context.touched.some(isFile) ? said() : looked(); // RESULT-LABELS-2
  };
