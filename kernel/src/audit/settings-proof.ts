// Settings proof: compares stored settings of operators with the signed ledger. Someone who can write the database
// can restore an older row, empty it or remove it. The seals of ceilings and secrets prove who wrote a row; only the
// ledger proves that it is the newest.
//
// SETTINGS-PROOF-1  A tenant's ceiling must match the last entry about the tenant; otherwise the tenant holds
//     nothing.
// SETTINGS-PROOF-2  A secret must be the one that was set last; otherwise its value is given to nobody and is still
//     scrubbed.
// SETTINGS-PROOF-3  Settings outside the store (`ledgerBacked`) are compared by their owner.
// SETTINGS-PROOF-4  An entry and its row are one commit: a crash leaves both or neither.

import { DEFAULT_TENANT, SysError, type Json } from "@aos/protocol";
import type { AuditReport } from "../api.ts";
import type { LatestEntry, LatestEntries, LedgerBacked } from "../options.ts";
import type { Vault } from "../secret/index.ts";
import type { Store } from "../store/contract.ts";
import type { TenantRow } from "../store/rows.ts";
import { effective, inWords, type CeilingSeal } from "../process/ceiling-setting.ts";
import { secretLedgerDetail } from "../secret/secret-store.ts";
import type { SignedLedger } from "./signed-ledger.ts";

interface Parts {
  readonly store: Store;
  readonly signed: SignedLedger;
  readonly seal: CeilingSeal;
  readonly vault: Vault;
  readonly backed: readonly LedgerBacked[];
  readonly trouble: (what: string, error: unknown) => void;
}

/** What an entry about a tenant says. */
export interface TenantLedgerDetail {
  readonly tenant: string;
  /** The capabilities of its ceiling then; null where it had none. */
  readonly ceiling?: readonly string[] | null;
  /** What was stored for it, without the seal. */
  readonly setting?: string;
}

const TENANT_KINDS = ["tenant.add", "tenant.set", "tenant.remove"];
const SECRET_KINDS = ["secret.set", "secret.remove"];
const tenantOf = (detail: Json): string => (detail as unknown as TenantLedgerDetail).tenant;

export class SettingsProof {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** SETTINGS-PROOF-1. By tenant: why what is stored of its ceiling does not count. */
  async ofTenants(rows: readonly TenantRow[]): Promise<ReadonlyMap<string, string>> {
    const problems = new Map<string, string>();
    const words = await this.#parts.signed.lastWords(TENANT_KINDS, tenantOf);
    if (words === undefined) return problems;
    for (const row of rows) {
      const problem = this.#ceilingProblem(row, words);
      if (problem === undefined) continue;
      const again = `\`aos tenant set ${row.name}\` sets it again`;
      problems.set(
        row.name,
        `the stored ceiling of tenant ${row.name} is not used: ${problem}; ${again}`,
      );
    }
    return problems;
  }

  /** SETTINGS-PROOF-2, SETTINGS-PROOF-3. Before any process is loaded, and after what was in doubt has been accepted. */
  async prove(): Promise<void> {
    const { vault, trouble } = this.#parts;
    const secrets = await this.#secretProblems();
    vault.doubt(secrets);
    const said = [...secrets.values(), ...(await this.#backedProblems())];
    for (const problem of said)
      trouble(`the store is not believed: ${problem}`, new SysError("EPOLICY", problem));
  }

  /** The report of an audit, with what it finds here. */
  async added(report: AuditReport): Promise<AuditReport> {
    const problems = await this.#problems();
    const finding = (message: string) =>
      ({ kind: "changed", pid: null, seq: null, message }) as const;
    const findings = [...report.findings, ...problems.map(finding)];
    return { ...report, ok: report.ok && problems.length === 0, findings };
  }

  /** All that does not fit, also what is gone. */
  async #problems(): Promise<string[]> {
    const { store, signed } = this.#parts;
    const rows = await store.tenantRows();
    const words = await signed.lastWords(TENANT_KINDS, tenantOf);
    const names = new Set(rows.map(({ name }) => name));
    const tenants = (words?.subjects ?? []).flatMap((name) => {
      const row = rows.find((one) => one.name === name);
      const wasRemoved = words!.of(name)!.what === "tenant.remove";
      if (!names.has(name)) return [`the row of tenant ${name} is gone`];
      if (!wasRemoved && row?.removedAt !== null) return [`tenant ${name} was removed by nobody`];
      return [];
    });
    return [
      ...(await this.ofTenants(rows)).values(),
      ...tenants,
      ...(await this.#secretProblems()).values(),
      ...(await this.#lostSecrets()),
      ...(await this.#backedProblems()),
    ];
  }

  #ceilingProblem(row: TenantRow, words: LatestEntries): string | undefined {
    const { name, ceiling, removedAt } = row;
    const word = words.of(name);
    const isOwn = name === DEFAULT_TENANT && word === undefined && ceiling === null;
    if (isOwn) return undefined; // the operator's own, of which nothing was ever said
    const doubt = words.doubtOf(name);
    if (doubt !== undefined) return doubt;
    if (word === undefined) return ceiling === null ? undefined : "nobody has set it";
    if (word.what === "tenant.remove") return removedAt === null ? "it was removed" : undefined;
    const stored = this.#parts.seal.read(name, ceiling);
    if (!stored.ok) return undefined; // its seal says so
    const said = word.detail as unknown as TenantLedgerDetail;
    const isSame =
      said.setting === undefined
        ? inWords(effective(name, stored.setting)) === inWords(said.ceiling ?? null)
        : ceiling !== null && said.setting === JSON.stringify(stored.setting);
    return isSame ? undefined : "it is not the one that was set last";
  }

  async #secretProblems(): Promise<ReadonlyMap<string, string>> {
    const { store } = this.#parts;
    const problems = new Map<string, string>();
    const words = await this.#secretWords();
    if (words === undefined) return problems;
    for (const row of await store.secrets()) {
      const tenant = await store.tenantName(row.tenant);
      const now = secretLedgerDetail({ ...row, tenant });
      const subject = subjectOf(now);
      const word = words.of(subject);
      const isSame = word?.what === "secret.set" && isSaid(now, word);
      const problem = words.doubtOf(subject) ?? (isSame ? undefined : saidOf(word?.what));
      if (problem !== undefined)
        problems.set(
          subject,
          `the stored secret ${row.name} (${tenant}) is not used: ${problem}; \`aos secret set ${row.name}\` sets it again`,
        );
    }
    return problems;
  }

  async #lostSecrets(): Promise<string[]> {
    const { store } = this.#parts;
    const words = await this.#secretWords();
    if (words === undefined) return [];
    const there = new Set<string>();
    for (const { tenant, name } of await store.secrets())
      there.add(subjectOf({ tenant: await store.tenantName(tenant), name }));
    return words.subjects
      .filter((subject) => words.of(subject)!.what === "secret.set" && !there.has(subject))
      .map((subject) => `the secret ${subject} was removed by nobody`);
  }

  #secretWords(): Promise<LatestEntries | undefined> {
    const of = (detail: Json) => subjectOf(detail as { tenant: string; name: string });
    return this.#parts.signed.lastWords(SECRET_KINDS, of);
  }

  async #backedProblems(): Promise<string[]> {
    const { signed, backed } = this.#parts;
    const found = await Promise.all(
      backed.map(async (one) => one.compare(await signed.lastWords(one.kinds, one.subjectOf))),
    );
    return found.flat();
  }
}

/** As the vault names it. */
const subjectOf = ({ tenant, name }: { tenant: string; name: string }): string =>
  JSON.stringify([tenant, name]);

/** Entries of earlier releases do not say when it was set: it was after the entry before. */
function isSaid(
  now: ReturnType<typeof secretLedgerDetail>,
  { detail, at, since }: LatestEntry,
): boolean {
  const said = detail as Partial<typeof now>;
  if (said.updatedAt === undefined) return now.updatedAt >= since && now.updatedAt <= at;
  const isBoundAlike = JSON.stringify(said.bindings) === JSON.stringify(now.bindings);
  return said.updatedAt === now.updatedAt && isBoundAlike;
}

const saidOf = (what: string | undefined): string =>
  what === undefined
    ? "nobody has set it"
    : what === "secret.remove"
      ? "it was removed"
      : "it is not the one that was set last";
