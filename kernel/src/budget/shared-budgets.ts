// SharedBudgets: the gauges and velocity limits of agents, tenants and all, and which of them apply to a process.
//
// SHARED-BUDGETS-1  A gauge starts from the store before the first process that it counts runs.
// SHARED-BUDGETS-2  A named budget replaces the unnamed one of the same scope and window. The limit of a manifest
//     applies as well; the smaller one holds.
// SHARED-BUDGETS-4  Windows follow the time of day, also after the clock was set; velocity limits follow the steady
//     clock.
// SHARED-BUDGETS-3  They are counted only by this node: where one is set, no other node may be alive (`alone`).

import { DEFAULT_TENANT, type BudgetReport, type Manifest } from "@aos/protocol";
import type { Velocity, SharedBudget } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { SpendQuery, BaseStore } from "../store/base-contract.ts";
import type { TenantKey } from "../store/rows.ts";
import {
  add,
  allowanceOf,
  inUnit,
  NOTHING,
  runningAmount,
  unitName,
  units,
  type Allowance,
} from "./amount.ts";
import { VelocityLimit } from "./velocity-limit.ts";
import {
  BudgetGauge,
  hourOf,
  type Period,
  type UsageBefore,
  type Window,
  windowOf,
} from "./gauges.ts";
import { SharedAccounts, type BudgetMeter } from "./shared-accounts.ts";

const HOUR_MS = 3_600_000;

/** Whose process it is that is to be held. */
export interface BudgetHolder {
  readonly tenant: TenantKey;
  readonly tenantName: string;
  readonly agent: string;
  /** Of its manifest. */
  readonly budget: Manifest["budget"];
}

interface Parts {
  readonly store: BaseStore;
  readonly platform: Platform;
  readonly budgets: readonly SharedBudget[];
  readonly velocity: readonly Velocity[];
  /** Makes sure that no other node spends, now and later; refuses where one does. */
  readonly alone: () => Promise<void>;
}

type Scope = SharedBudget["scope"];

export class SharedBudgets {
  readonly #parts: Parts;
  readonly #gauges = new Map<string, Promise<BudgetGauge>>();
  readonly #velocityLimits = new Map<string, Promise<VelocityLimit>>();
  /** The limits that were met, for people. */
  readonly #known = new Map<string, BudgetMeter>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Budgets are configured, whatever manifests say. */
  get isConfigured(): boolean {
    return this.#parts.budgets.length + this.#parts.velocity.length > 0;
  }

  async of(holder: BudgetHolder): Promise<SharedAccounts> {
    const meters = (
      await Promise.all(
        (["agent", "tenant", "total"] as const).map((scope) => this.#metersOf(scope, holder)),
      )
    ).flat();
    const velocityLimits = await this.#brakesOf(holder);
    if (velocityLimits.length > 0 || meters.some(({ limit }) => limit !== undefined))
      await this.#parts.alone(); // SHARED-BUDGETS-3
    return new SharedAccounts(meters, velocityLimits, () => this.#parts.platform.wall());
  }

  /** What is left of what is limited. */
  async reports(): Promise<BudgetReport[]> {
    await this.#meetConfigured();
    return this.#reportsOn([...this.#known.values()]);
  }

  /** The same of one tenant, whether or not anybody has spent anything there since boot. */
  async reportsOf(tenant: TenantKey, tenantName: string): Promise<BudgetReport[]> {
    const holder = { tenant, tenantName, agent: "", budget: {} };
    return this.#reportsOn(await this.#metersOf("tenant", holder));
  }

  #reportsOn(meters: readonly BudgetMeter[]): BudgetReport[] {
    const now = this.#parts.platform.wall();
    return meters.flatMap(({ gauge, period, limit }) => {
      const { spent, reserved, owed } = gauge.at(period, now);
      return units.flatMap((unit) =>
        limit?.[unit] === undefined
          ? []
          : [
              {
                of: gauge.name,
                per: period,
                unit: unitName(unit),
                limit: inUnit(unit, limit[unit]),
                spent: inUnit(unit, spent[unit]),
                reserved: inUnit(unit, reserved[unit]),
                ...(owed[unit] > 0 ? { owed: inUnit(unit, owed[unit]) } : {}),
              },
            ],
      );
    });
  }

  async #metersOf(scope: Scope, holder: BudgetHolder): Promise<BudgetMeter[]> {
    const name = scope === "agent" ? holder.agent : holder.tenantName;
    const limits = new Map<Period, Allowance>();
    const set = (period: Period, more: Allowance) =>
      limits.set(period, smaller(limits.get(period), more));
    for (const budget of budgetsFor(this.#parts.budgets, scope, name))
      set(budget.per, allowanceOf(budget));
    const periods = new Set(limits.keys());
    if (scope === "agent") {
      for (const period of ["hour", "day", "month"] as const) {
        periods.add(period); // counted for whoever says so later
        const own = holder.budget[period];
        if (own !== undefined) set(period, allowanceOf(own));
      }
    }
    if (periods.size === 0) return [];
    const gauge = await this.#gaugeOf(scope, holder);
    return [...periods].map((period) => {
      const meter = { gauge, period, limit: limits.get(period) };
      if (meter.limit !== undefined) this.#known.set(`${gauge.name} ${period}`, meter);
      return meter;
    });
  }

  #gaugeOf(scope: Scope, holder: BudgetHolder): Promise<BudgetGauge> {
    const name = nameOf(scope, holder);
    let gauge = this.#gauges.get(name);
    if (gauge === undefined) {
      gauge = this.#load(name, scope, holder);
      this.#gauges.set(name, gauge);
      gauge.catch(() => this.#gauges.delete(name)); // whoever asks next tries again
    }
    return gauge;
  }

  /** SHARED-BUDGETS-1. */
  async #load(name: string, scope: Scope, { tenant, agent }: BudgetHolder): Promise<BudgetGauge> {
    const { platform, budgets } = this.#parts;
    const now = platform.wall();
    const periods = new Set<Period>(scope === "agent" ? ["hour", "day", "month"] : []);
    for (const budget of budgets) if (budget.scope === scope) periods.add(budget.per);
    const whose = {
      ...(scope === "total" ? {} : { tenant }),
      ...(scope === "agent" ? { agent } : {}),
    };
    const before = new Map<Period, ReturnType<UsageBefore>>();
    for (const period of periods)
      before.set(period, await this.#spentIn(windowOf(period, now), whose));
    return new BudgetGauge(
      name,
      [...periods],
      now,
      (period) => before.get(period)!,
      (_period, window) => this.#spentIn(window, whose),
    );
  }

  async #spentIn(
    { from, until }: Window,
    whose: Pick<SpendQuery, "tenant" | "agent">,
  ): Promise<ReturnType<UsageBefore>> {
    const hours = await this.#parts.store.spend({ ...whose, by: "hour", sinceMs: from });
    const sum = { ...runningAmount(NOTHING), owed: { microUsd: 0, tokens: 0 } };
    for (const hour of hours) {
      if (Number(hour.key) >= until) continue; // the clock was ahead when it was written
      add(sum, hour);
      sum.owed.microUsd += hour.overMicroUsd;
      sum.owed.tokens += hour.overTokens;
    }
    return sum;
  }

  async #brakesOf(holder: BudgetHolder): Promise<VelocityLimit[]> {
    const velocityLimits: Promise<VelocityLimit>[] = [];
    for (const velocity of this.#parts.velocity) {
      const { scope, name, withinMs } = velocity;
      if (scope === "tenant" && name !== undefined && name !== holder.tenantName) continue;
      const of = nameOf(scope, holder);
      const key = `${of} ${this.#parts.velocity.indexOf(velocity)}`;
      let velocityLimit = this.#velocityLimits.get(key);
      if (velocityLimit === undefined) {
        const query: SpendQuery = scope === "total" ? ALL : { ...ALL, tenant: holder.tenant };
        velocityLimit = this.#loadBrake(new VelocityLimit(of, velocity), query, withinMs);
        this.#velocityLimits.set(key, velocityLimit);
        velocityLimit.catch(() => this.#velocityLimits.delete(key));
      }
      velocityLimits.push(velocityLimit);
    }
    return Promise.all(velocityLimits);
  }

  /** The store knows hours of the day: what was spent in one counts as spent at its end, or now. */
  async #loadBrake(
    velocityLimit: VelocityLimit,
    query: SpendQuery,
    withinMs: number,
  ): Promise<VelocityLimit> {
    const { platform, store } = this.#parts;
    const [now, wall] = [platform.now(), platform.wall()];
    const hours = await store.spend({ ...query, sinceMs: hourOf(wall - withinMs) });
    for (const { key, microUsd, overMicroUsd } of hours) {
      const agoMs = Math.max(0, wall - (Number(key) + HOUR_MS - 1));
      velocityLimit.note(microUsd + overMicroUsd, now - agoMs);
    }
    return velocityLimit;
  }

  /** Those with a name, and that of all, are there before anybody spends. */
  async #meetConfigured(): Promise<void> {
    for (const { scope, name } of this.#parts.budgets) {
      if (scope !== "total" && name === undefined) continue;
      const tenantName = scope === "tenant" ? name! : DEFAULT_TENANT;
      const tenant = await this.#parts.store.findTenant(tenantName);
      if (tenant === undefined) continue; // it has spent nothing; a budget makes no tenant
      await this.#metersOf(scope, { tenant, tenantName, agent: name ?? "", budget: {} });
    }
  }
}

const ALL: SpendQuery = { by: "hour" };

/** SHARED-BUDGETS-2. */
function budgetsFor(
  budgets: readonly SharedBudget[],
  scope: Scope,
  name: string,
): readonly SharedBudget[] {
  const here = budgets.filter((one) => one.scope === scope);
  if (scope === "total") return here;
  const isNamed = (per: Period) => here.some((one) => one.name === name && one.per === per);
  return here.filter((one) => one.name === name || (one.name === undefined && !isNamed(one.per)));
}

function nameOf(scope: Scope, { tenantName, agent }: BudgetHolder): string {
  if (scope === "total") return "total";
  if (scope === "tenant") return `tenant ${tenantName}`;
  return tenantName === DEFAULT_TENANT ? `agent ${agent}` : `agent ${agent} of ${tenantName}`;
}

/** Of two allowances the smaller in each unit. */
function smaller(a: Allowance | undefined, b: Allowance): Allowance {
  const least: { -readonly [Unit in keyof Allowance]: Allowance[Unit] } = {};
  for (const unit of units) {
    const most = Math.min(a?.[unit] ?? Infinity, b[unit] ?? Infinity);
    if (most !== Infinity) least[unit] = most;
  }
  return least;
}
