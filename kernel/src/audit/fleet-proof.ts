// FleetProof: a fleet gives power to runs that nobody asks for by hand. Its row counts only if the signed ledger has it
// as the last word about that fleet.
//
// FLEET-PROOF-1  Name, text, versions, power, roll and pauses of a fleet are those of the last entry about it. One that
//     is not is refused and reported.
// FLEET-PROOF-2  A fleet that nobody removed is there.
// FLEET-PROOF-3  An attempt at an item names a run that its fleet started.

import { canonicalText, type AuditFinding, type AuditReport, type Json } from "@aos/protocol";
import { digestOf } from "../journal/codec.ts";
import type { FleetRow } from "../store/fleet-rows.ts";
import type { OpenedStore } from "../store/mail-reports.ts";
import type { SignedLedger } from "./signed-ledger.ts";

const KINDS = ["fleet.set", "fleet.remove"];
/** Of one fleet, in an audit. */
const RUNS_LOOKED_AT = 1000;

export interface FleetLedgerDetail {
  readonly fleet: string;
  readonly tenant: string;
  readonly key: number;
  readonly digest: string;
}

const subjectOf = (detail: Json): string => {
  const { tenant, fleet } = detail as unknown as FleetLedgerDetail;
  return JSON.stringify([tenant, fleet]);
};

export const fleetDetail = (row: FleetRow, tenant: string): FleetLedgerDetail => {
  const { key, name, revision, spec, paused, draining, createdAt } = row;
  const said = { key, name, tenant, revision, spec, paused, draining, createdAt };
  return { fleet: name, tenant, key, digest: digestOf(canonicalText(said)) };
};

interface Parts {
  readonly store: OpenedStore;
  readonly signed: SignedLedger;
}

export class FleetProof {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** FLEET-PROOF-1. By key: why a row does not count. */
  async problemsOf(rows: readonly FleetRow[]): Promise<ReadonlyMap<number, string>> {
    const { store, signed } = this.#parts;
    const problems = new Map<number, string>();
    if (rows.length === 0) return problems;
    const words = await signed.lastWords(KINDS, subjectOf);
    if (words === undefined) return problems;
    for (const row of rows) {
      const now = fleetDetail(row, await store.tenantName(row.tenant));
      const subject = subjectOf(now as unknown as Json);
      const word = words.of(subject);
      const said = word?.detail as unknown as FleetLedgerDetail | undefined;
      const isSame = word?.what === "fleet.set" && said?.digest === now.digest;
      const problem = words.doubtOf(subject) ?? (isSame ? undefined : saidOf(word?.what));
      if (problem !== undefined)
        problems.set(
          row.key,
          `the stored fleet ${row.name} is not used: ${problem}; \`aos fleet rm ${row.name}\` and \`aos fleet create\` write it again`,
        );
    }
    return problems;
  }

  /** The report of an audit, with what it finds here. */
  async added(report: AuditReport): Promise<AuditReport> {
    const { store } = this.#parts;
    const rows = await store.fleets();
    const messages = [...(await this.problemsOf(rows)).values(), ...(await this.#gone(rows))];
    const findings: AuditFinding[] = messages.map((message) => finding(null, message));
    for (const row of rows) findings.push(...(await this.#runsOf(row)));
    return {
      ...report,
      ok: report.ok && findings.length === 0,
      findings: [...report.findings, ...findings],
    };
  }

  /** FLEET-PROOF-2. */
  async #gone(rows: readonly FleetRow[]): Promise<string[]> {
    const { store, signed } = this.#parts;
    const words = await signed.lastWords(KINDS, subjectOf);
    if (words === undefined) return [];
    const there = new Set<string>();
    for (const row of rows) {
      const detail = fleetDetail(row, await store.tenantName(row.tenant));
      there.add(subjectOf(detail as unknown as Json));
    }
    return words.subjects
      .filter((subject) => words.of(subject)!.what === "fleet.set" && !there.has(subject))
      .map((subject) => `the fleet ${subject} was removed by nobody`);
  }

  /** FLEET-PROOF-3. A run whose rows retention removed is no finding. */
  async #runsOf(row: FleetRow): Promise<AuditFinding[]> {
    const { store } = this.#parts;
    const found: AuditFinding[] = [];
    for (const { item, pid } of await store.fleetRuns({ fleet: row.key, limit: RUNS_LOOKED_AT })) {
      const process = await store.process(pid);
      const which = `the item ${item} of the fleet ${row.name}`;
      if (process !== undefined && process.spec.startedBy !== `fleet:${row.name}`)
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
    : what === "fleet.remove"
      ? "it was removed"
      : "it is not what was written last";
