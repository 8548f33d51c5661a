// ScheduleProof: a schedule gives power to runs that nobody asks for by hand. Its row counts only if the signed ledger
// has it as the last word about that schedule.
//
// SCHEDULE-PROOF-1  Name, text, power and pause of a schedule are those of the last entry about it. One that is not is
//     refused and reported.
// SCHEDULE-PROOF-2  A schedule that nobody removed is there.
// SCHEDULE-PROOF-3  A tick that was started names a run that its schedule started.

import { canonicalText, type AuditFinding, type AuditReport, type Json } from "@aos/protocol";
import { digestOf } from "../journal/codec.ts";
import type { OpenedStore } from "../store/mail-reports.ts";
import type { ScheduleRow } from "../store/schedule-rows.ts";
import type { SignedLedger } from "./signed-ledger.ts";

const KINDS = ["schedule.set", "schedule.remove"];
/** Of one schedule, in an audit. */
const TICKS_LOOKED_AT = 1000;

export interface ScheduleLedgerDetail {
  readonly schedule: string;
  readonly tenant: string;
  readonly key: number;
  readonly digest: string;
}

const subjectOf = (detail: Json): string => {
  const { tenant, schedule } = detail as unknown as ScheduleLedgerDetail;
  return JSON.stringify([tenant, schedule]);
};

export const scheduleDetail = (row: ScheduleRow, tenant: string): ScheduleLedgerDetail => {
  const { key, name, revision, spec, grants, paused, createdAt } = row;
  const said = { key, name, tenant, revision, spec, grants, paused, createdAt };
  return { schedule: name, tenant, key, digest: digestOf(canonicalText(said)) };
};

interface Parts {
  readonly store: OpenedStore;
  readonly signed: SignedLedger;
}

export class ScheduleProof {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** SCHEDULE-PROOF-1. By key: why a row does not count. */
  async problemsOf(rows: readonly ScheduleRow[]): Promise<ReadonlyMap<number, string>> {
    const { store, signed } = this.#parts;
    const problems = new Map<number, string>();
    if (rows.length === 0) return problems;
    const words = await signed.lastWords(KINDS, subjectOf);
    if (words === undefined) return problems;
    for (const row of rows) {
      const now = scheduleDetail(row, await store.tenantName(row.tenant));
      const subject = subjectOf(now as unknown as Json);
      const word = words.of(subject);
      const said = word?.detail as unknown as ScheduleLedgerDetail | undefined;
      const isSame = word?.what === "schedule.set" && said?.digest === now.digest;
      const problem = words.doubtOf(subject) ?? (isSame ? undefined : saidOf(word?.what));
      if (problem !== undefined)
        problems.set(
          row.key,
          `the stored schedule ${row.name} is not used: ${problem}; \`aos schedule edit ${row.name}\` writes it again`,
        );
    }
    return problems;
  }

  /** The report of an audit, with what it finds here. */
  async added(report: AuditReport): Promise<AuditReport> {
    const { store } = this.#parts;
    const rows = await store.schedules();
    const messages = [...(await this.problemsOf(rows)).values(), ...(await this.#gone(rows))];
    const findings: AuditFinding[] = messages.map((message) => finding(null, message));
    for (const row of rows) findings.push(...(await this.#ticksOf(row)));
    return {
      ...report,
      ok: report.ok && findings.length === 0,
      findings: [...report.findings, ...findings],
    };
  }

  /** SCHEDULE-PROOF-2. */
  async #gone(rows: readonly ScheduleRow[]): Promise<string[]> {
    const { store, signed } = this.#parts;
    const words = await signed.lastWords(KINDS, subjectOf);
    if (words === undefined) return [];
    const there = new Set<string>();
    for (const row of rows) {
      const detail = scheduleDetail(row, await store.tenantName(row.tenant));
      there.add(subjectOf(detail as unknown as Json));
    }
    return words.subjects
      .filter((subject) => words.of(subject)!.what === "schedule.set" && !there.has(subject))
      .map((subject) => `the schedule ${subject} was removed by nobody`);
  }

  /** SCHEDULE-PROOF-3. A run whose rows retention removed is no finding. */
  async #ticksOf(row: ScheduleRow): Promise<AuditFinding[]> {
    const { store } = this.#parts;
    const ticks = await store.ticks({ schedule: row.key, limit: TICKS_LOOKED_AT });
    const found: AuditFinding[] = [];
    for (const { id, pid, outcome } of ticks) {
      const process = pid === null ? undefined : await store.process(pid);
      const which = `the tick ${id} of the schedule ${row.name}`;
      if (outcome === "started" && pid === null)
        found.push(finding(null, `${which} was started, and names no run`));
      if (process !== undefined && process.spec.startedBy !== `schedule:${row.name}`)
        found.push(finding(pid, `${which} names ${pid}, which it did not start`));
      if (process !== undefined && process.tenant !== row.tenant)
        found.push(finding(pid, `${which} names ${pid}, which is another tenant's`));
    }
    return found;
  }
}

const finding = (pid: string | null, message: string): AuditFinding => ({
  kind: "changed",
  pid,
  seq: null,
  message,
});

const saidOf = (what: string | undefined): string =>
  what === undefined
    ? "nobody has written it"
    : what === "schedule.remove"
      ? "it was removed"
      : "it is not what was written last";
