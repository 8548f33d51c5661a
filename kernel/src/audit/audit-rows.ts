// Audit of rows: the row of a process matches its journal.

import {
  canonicalText,
  toMicroUsd,
  usdOf,
  type CallRecord,
  type EndRecord,
  type Json,
  type JournalRecord,
} from "@aos/protocol";
import { digestOf } from "../journal/codec.ts";
import { join, labelText, readLabel } from "../label/label.ts";
import { startRecordOf } from "../process/process-factory.ts";
import { isParked } from "../scheduler/parking.ts";
import type { Store } from "../store/contract.ts";
import type { Erasures } from "./erasures.ts";
import type { ChainRow, ProcessRow, RecordRow } from "../store/rows.ts";

/** All that is kept of a run whose history goes, as a digest for the log. */
export function resultDigest(
  row: ProcessRow,
  { microUsd, tokens, toolCalls, overMicroUsd, overTokens }: ChainRow,
  usd: number = usdOf(microUsd),
): string {
  const { state, exitCode, endedAt, output, error, label } = row;
  const kept = {
    birth: startRecordOf(row),
    state,
    exitCode,
    endedAt,
    output,
    error,
    label,
    usd,
    tokens,
    toolCalls,
    ...(overMicroUsd > 0 || overTokens > 0 ? { overMicroUsd, overTokens } : {}),
  };
  return digestOf(canonicalText(kept as unknown as Json));
}

/** The same, or as it was signed while dollars were kept with fractions. */
export const isResultDigestOf = (signed: string, row: ProcessRow, chain: ChainRow): boolean =>
  signed === resultDigest(row, chain) ||
  (chain.formerUsd > 0 &&
    toMicroUsd(chain.formerUsd) === chain.microUsd &&
    signed === resultDigest(row, chain, chain.formerUsd));

interface Problem {
  readonly seq: number;
  readonly problem: string;
}

export function rowProblems(
  row: ProcessRow,
  chain: ChainRow,
  rows: readonly RecordRow[],
  records: readonly JournalRecord[],
  erasures: Erasures,
): Problem[] {
  const last = records.at(-1)!;
  const end = last.kind === "end" ? last : undefined;
  const isOwn = (record: JournalRecord) => rows[record.seq]!.process === row.key;
  return [
    ...birthProblems(row, records),
    ...(end === undefined ? livingProblems(row, last.seq) : endProblems(row, end, erasures)),
    ...baseProblems(row, records),
    ...costProblems(chain, records.filter(isOwn), last.seq),
    // Of one that lives the row only adds to what its journal says (process/recorded-state.ts, RECORDED-STATE-2).
    ...(row.label === null || end === undefined || row.label === labelOf(row, records)
      ? []
      : [{ seq: last.seq, problem: "its label is not what it has read" }]),
  ];
}

function birthProblems(row: ProcessRow, records: readonly JournalRecord[]): Problem[] {
  const { forkedFrom } = row.spec;
  const born = records[forkedFrom === undefined ? 0 : forkedFrom.at + 1];
  if ((born?.kind === "start" || born?.kind === "fork") && born.birth === startRecordOf(row))
    return [];
  return [{ seq: born?.seq ?? 0, problem: "its row is not what it started with" }];
}

function livingProblems(row: ProcessRow, seq: number): Problem[] {
  const says = row.endedAt ?? row.exitCode ?? row.output ?? (isParked(row) ? null : row.error);
  if (says === null) return [];
  return [{ seq, problem: `its row says ${row.state}, and its journal has no end` }];
}

function endProblems(row: ProcessRow, end: EndRecord, erasures: Erasures): Problem[] {
  const { seq } = end;
  if (row.endedAt === null)
    return [{ seq, problem: `its row says ${row.state}, and its journal has an end` }];
  const problems: Problem[] = [];
  if (end.state !== row.state || end.code !== row.exitCode || end.at !== row.endedAt)
    problems.push({ seq, problem: "its row does not say how its journal ends" });
  if (!isSameOutput(end, row, erasures))
    problems.push({ seq, problem: "the output in its row is not the recorded one" });
  if (JSON.stringify(row.error) !== JSON.stringify(end.error ?? null))
    problems.push({ seq, problem: "the error in its row is not the recorded one" });
  return problems;
}

function isSameOutput(end: EndRecord, row: ProcessRow, erasures: Erasures): boolean {
  const text = JSON.stringify(row.output ?? null);
  const recorded = end.output as { $blob?: string } | null | undefined;
  if (recorded !== null && typeof recorded === "object" && typeof recorded.$blob === "string")
    return digestOf(text) === recorded.$blob || erasures.hasBlob(row.tenant, recorded.$blob);
  return text === JSON.stringify(recorded ?? null);
}

/** Where a replay would begin. */
function baseProblems(row: ProcessRow, records: readonly JournalRecord[]): Problem[] {
  const base = records.findLast(
    (record) =>
      record.kind === "restart" ||
      (record.kind === "call" && record.call === "checkpoint" && record.err === undefined),
  );
  if ((base?.seq ?? 0) === row.base) return [];
  return [{ seq: base?.seq ?? 0, problem: `its row says that it continues from ${row.base}` }];
}

type Costs = "usd" | "tokens" | "over";
const COSTS: ReadonlySet<string> = new Set(["call", "outcome", "restart", "end"]);

function costProblems(chain: ChainRow, own: readonly JournalRecord[], seq: number): Problem[] {
  let [microUsd, tokens, overMicroUsd, overTokens] = [0, 0, 0, 0];
  for (const record of own as readonly (JournalRecord & Pick<CallRecord, Costs>)[]) {
    if (!COSTS.has(record.kind)) continue;
    microUsd += (record.usd ?? 0) * 1e6; // with a fraction where it was recorded before money was whole
    tokens += record.tokens ?? 0;
    overMicroUsd += toMicroUsd(record.over?.usd ?? 0);
    overTokens += record.over?.tokens ?? 0;
  }
  const isSame =
    tokens === chain.tokens &&
    Math.abs(microUsd - chain.microUsd) < 0.9999 &&
    overMicroUsd === chain.overMicroUsd &&
    overTokens === chain.overTokens;
  if (isSame) return [];
  return [{ seq, problem: "what it spent is not what is recorded" }];
}

function labelOf(row: ProcessRow, records: readonly JournalRecord[]): string {
  let label = row.spec.label;
  for (const record of records)
    if ("label" in record && record.label !== undefined)
      label = join(label, readLabel(record.label));
  return labelText(label);
}

/** Manifests, each looked at once. */
export class ManifestCheck {
  readonly #store: Store;
  readonly #sound = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  async problem({ tenant, spec }: ProcessRow): Promise<string | undefined> {
    const name = `${tenant} ${spec.manifestHash}`;
    if (this.#sound.has(name)) return undefined;
    const body = await this.#store.manifest(tenant, spec.manifestHash);
    if (body === undefined) return "its manifest is missing";
    if (digestOf(body) !== spec.manifestHash) return "its stored manifest was changed";
    this.#sound.add(name);
    return undefined;
  }
}
