// Tenant registry: the tenants and their ceilings.
//
// TENANT-REGISTRY-1  A tenant is created explicitly: by add(), by the configuration, or because it had rows when this
//     kernel first opened the store. Any other name is refused with the nearest one.
// TENANT-REGISTRY-2  Every tenant but `default` has a ceiling: the configuration's, else the operator's, else the
//     default one.
// TENANT-REGISTRY-3  A stored ceiling carries a MAC under the kernel's key. If the MAC is invalid, someone else wrote
//     it; if the signed ledger does not have it as the last setting (settings-proof.ts), someone restored it. The
//     tenant then holds nothing until the operator sets it again.
// TENANT-REGISTRY-4  A change applies at once: when set() returns, the next call of every process of the tenant on
//     this node is judged by it, and running calls that it refuses are stopped. Other nodes follow at their next
//     refresh().

import {
  type CeilingChange,
  type CeilingReport,
  type CeilingSetting,
  checkTenantName,
  DEFAULT_TENANT,
  nearest,
  SysError,
  type Touch,
} from "@aos/protocol";
import { ceilingBlock, isCoveredBy, type CapabilityKind } from "../capability/index.ts";
import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { Platform } from "../platform/clock.ts";
import type { BlockRegistry } from "../process/blocks.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { Store } from "../store/contract.ts";
import type { TenantKey, TenantRow } from "../store/rows.ts";
import {
  type CeilingSeal,
  effective,
  inWords,
  readSetting,
  withChange,
} from "../process/ceiling-setting.ts";
import type { SettingsProof } from "../audit/settings-proof.ts";
import { stopBeyond } from "./stop-calls.ts";

interface Parts {
  readonly store: Store;
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly proof: Pick<SettingsProof, "ofTenants">;
  readonly platform: Platform;
  readonly blocks: BlockRegistry;
  readonly seal: CeilingSeal;
  readonly trouble: (what: string, error: unknown) => void;
  readonly table: ProcessTable;
}

interface Known {
  readonly row: TenantRow;
  readonly report: CeilingReport;
  /** Why its row does not count (TENANT-REGISTRY-3). */
  readonly problem: string | undefined;
}

export class TenantRegistry {
  readonly #parts: Parts;
  readonly #byName = new Map<string, Known>();
  readonly #byKey = new Map<TenantKey, Known>();
  #configured: Readonly<Record<string, CeilingSetting>> = {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** TENANT-REGISTRY-1, TENANT-REGISTRY-2. To be called before anything of a tenant is loaded, and again when the configuration changes. */
  async configure(settings: Readonly<Record<string, CeilingSetting>>): Promise<void> {
    for (const [name, setting] of Object.entries(settings)) {
      checkTenantName(name);
      effective(name, readSetting(setting)); // throws before anything is taken
    }
    for (const name of Object.keys(settings)) await this.#parts.store.tenantKey(name);
    this.#configured = settings;
    await this.refresh();
  }

  /** Reads what is stored again: another node may have changed it. What is as it was is not proven again. */
  async refresh({ all = false } = {}): Promise<void> {
    const { store, proof } = this.#parts;
    const rows = await store.tenantRows();
    const known = (row: TenantRow) => (all ? undefined : this.#byKey.get(row.key));
    const fresh = rows.filter((row) => !isSameRow(known(row)?.row, row));
    const problems = fresh.length === 0 ? NO_PROBLEMS : await proof.ofTenants(fresh);
    for (const row of rows)
      await this.#know(row, fresh.includes(row) ? problems.get(row.name) : known(row)!.problem);
  }

  /** For chains of a tenant that this node has not met: another node has just made it. */
  async meet(key: TenantKey): Promise<void> {
    if (!this.#byKey.has(key)) await this.refresh();
  }

  /** TENANT-REGISTRY-1. */
  async keyOf(name: string): Promise<TenantKey> {
    return (await this.#find(name)).row.key;
  }

  async ceilingOf(name: string): Promise<CeilingReport> {
    return (await this.#find(name)).report;
  }

  /** Whether the ceiling of a tenant, if it has one, covers this. */
  async covers(name: string, { kind, resource, verb }: Touch): Promise<boolean> {
    const { blocks, platform } = this.#parts;
    const ceiling = blocks.ceilingOf(await this.keyOf(name));
    const request = { kind: kind as CapabilityKind, resource, verb };
    return ceiling === null || isCoveredBy(ceiling, request, platform.now());
  }

  async add(name: string, setting: CeilingSetting, by: string): Promise<TenantKey> {
    checkTenantName(name);
    const checked = readSetting(setting);
    await this.refresh();
    const known = this.#byName.get(name);
    if (known !== undefined && known.row.removedAt === null)
      throw new SysError("ESTATE", `the tenant ${name} already exists`, {
        hint: `aos tenant set ${name} changes its ceiling`,
      });
    const key = await this.#parts.store.tenantKey(name);
    const ceiling = this.#parts.seal.text(name, checked);
    await this.#write({ key, name, ceiling, removedAt: null }, "tenant.add", by);
    return key;
  }

  /** TENANT-REGISTRY-4. Returns how many running calls were stopped. */
  async set(name: string, change: CeilingChange, by: string): Promise<number> {
    const { row, problem } = await this.#find(name);
    if (isSaid(this.#configured[name]))
      throw new SysError("ESTATE", `the ceiling of tenant ${name} is in config.yaml`, {
        hint: `change \`tenants.${name}\` there; the daemon reloads it within two seconds`,
      });
    const stored = this.#parts.seal.read(name, row.ceiling);
    const before = stored.ok && problem === undefined ? stored.setting : {};
    const next = withChange(name, before, change);
    const ceiling = this.#parts.seal.text(name, next);
    return this.#write({ ...row, ceiling }, "tenant.set", by);
  }

  /** Its rows stay; nothing can be started in it until it is added again. */
  async remove(name: string, by: string): Promise<void> {
    const { row } = await this.#find(name);
    if (name === DEFAULT_TENANT)
      throw new SysError(
        "EINVAL",
        `${DEFAULT_TENANT} is the operator's own tenant and cannot be removed`,
      );
    if (name in this.#configured)
      throw new SysError("ESTATE", `tenant ${name} is in config.yaml: remove it there first`);
    await this.#parts.journal.durable();
    const [living] = await this.#parts.store.processes({
      tenant: row.key,
      states: ["pending", "running", "waiting", "paused"],
      limit: 1,
    });
    if (living !== undefined)
      throw new SysError("ESTATE", `${living.pid} of tenant ${name} is ${living.state}`, {
        hint: "end its processes first",
      });
    await this.#write({ ...row, removedAt: this.#parts.platform.now() }, "tenant.remove", by);
  }

  /** The row and its entry in the ledger are one commit. */
  async #write(row: TenantRow, what: `tenant.${string}`, by: string): Promise<number> {
    const { journal, ledger, seal } = this.#parts;
    const { capabilities } = this.#reportOf(row, undefined);
    const stored = seal.read(row.name, row.ceiling);
    const ceiling = capabilities === null ? null : [...capabilities];
    const setting = stored.ok ? { setting: JSON.stringify(stored.setting) } : {};
    journal.write({ op: "tenant.set", row });
    ledger.add({ what, by, detail: { tenant: row.name, ceiling, ...setting } });
    await journal.durable();
    return this.#know(row, undefined);
  }

  async #know(row: TenantRow, problem: string | undefined): Promise<number> {
    const { blocks, platform, trouble } = this.#parts;
    const before = this.#byKey.get(row.key);
    const report = this.#reportOf(row, problem);
    const known = { row, report, problem };
    this.#byKey.set(row.key, known);
    this.#byName.set(row.name, known);
    const isSame =
      before !== undefined && inWords(before.report.capabilities) === inWords(report.capabilities);
    if (isSame) return 0;
    const { capabilities } = report;
    if (report.problem !== null)
      trouble(`tenant ${row.name} is blocked`, new SysError("ECORRUPT", report.problem));
    blocks.setCeiling(
      row.key,
      capabilities === null ? null : ceilingBlock(row.name, capabilities, platform.now()),
    );
    return before === undefined ? 0 : stopBeyond(this.#parts, row.key);
  }

  /** TENANT-REGISTRY-2, TENANT-REGISTRY-3. */
  #reportOf({ name, ceiling }: TenantRow, unproven: string | undefined): CeilingReport {
    const configured = this.#configured[name];
    if (isSaid(configured)) return reported("config", effective(name, readSetting(configured)));
    const stored = this.#parts.seal.read(name, ceiling);
    const problem = stored.ok ? unproven : stored.problem;
    if (!stored.ok || problem !== undefined)
      return { ...reported("operator", []), problem: problem! };
    const source = isSaid(stored.setting) ? "operator" : "default";
    return reported(source, effective(name, stored.setting));
  }

  async #find(name: string): Promise<Known> {
    if (!this.#isThere(name)) await this.refresh();
    const known = this.#byName.get(name);
    if (known !== undefined && known.row.removedAt === null) return known;
    checkTenantName(name);
    const names = [...this.#byName.keys()].filter((one) => this.#isThere(one));
    const meant = nearest(name, names);
    throw new SysError("ENOENT", `unknown tenant ${name}`, {
      hint: `${meant === undefined ? "" : `did you mean ${meant}? `}create it with \`aos tenant add ${name}\`; \`aos tenant ls\` lists the tenants`,
    });
  }

  #isThere = (name: string): boolean => this.#byName.get(name)?.row.removedAt === null;
}

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();

const isSameRow = (one: TenantRow | undefined, other: TenantRow): boolean =>
  one?.ceiling === other.ceiling && one.removedAt === other.removedAt;

const reported = (
  source: CeilingReport["source"],
  capabilities: CeilingReport["capabilities"],
): CeilingReport => ({ source, capabilities, problem: null });

const isSaid = (setting: CeilingSetting | undefined): setting is CeilingSetting =>
  setting !== undefined &&
  ((setting.ceiling ?? "default") !== "default" || (setting.allow ?? []).length > 0);
