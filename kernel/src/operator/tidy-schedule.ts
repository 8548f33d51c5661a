// TidySchedule: tidies the memory of all tenants at the interval that the operator has set; nothing without one.
//
// TIDY-SCHEDULE-1  When a tenant was tidied last is in the store: a restart neither forgets it nor begins anew, and of
//     several nodes the one that looks first does it.
// TIDY-SCHEDULE-2  Each run is a run of tidy.ts: one transaction, with an id that takes it back and an entry of the
//     ledger. A crash in the middle leaves everything as it was, and the next look begins again.
// TIDY-SCHEDULE-3  What goes wrong for one tenant is told, and the others are tidied all the same.

import type { TidySettings } from "../options.ts";
import type { FileRow, TenantRow } from "../store/rows.ts";
import { tidy, type TidyParts } from "./tidy.ts";

interface Parts extends TidyParts {
  readonly tidying: TidySettings | undefined;
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly trouble: (what: string, error: unknown) => void;
}

const LOOK_EVERY_MS = 60_000;
const BY = "config.yaml";
/** In no mount, like the records of tidy.ts. */
const LAST = "/tidying/last";

export class TidySchedule {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #under: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(): void {
    const { tidying } = this.#parts;
    if (tidying === undefined) return;
    this.#look();
    this.#timer = setInterval(() => this.#look(), Math.min(tidying.everyMs, LOOK_EVERY_MS));
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async atRest(): Promise<void> {
    await this.#under;
  }

  #look(): void {
    const { trouble } = this.#parts;
    this.#under ??= this.tidyDue()
      .catch((error: unknown) => trouble("memory was not tidied", error))
      .finally(() => (this.#under = undefined));
  }

  /** TIDY-SCHEDULE-1. */
  async tidyDue(): Promise<void> {
    const { store, tidying, trouble } = this.#parts;
    if (tidying === undefined) return;
    for (const tenant of await store.tenantRows()) {
      if (this.#isClosed) return;
      try {
        await this.#tidyTenant(tenant, tidying);
      } catch (error) {
        if (!this.#isClosed) trouble(`the memory of ${tenant.name} was not tidied`, error); // TIDY-SCHEDULE-3
      }
    }
  }

  async #tidyTenant({ key, name }: TenantRow, { everyMs, ...rules }: TidySettings): Promise<void> {
    const { store, journal, platform, inTurn } = this.#parts;
    const last = await store.file(key, 0, LAST);
    if (last !== undefined && platform.now() - last.writtenAt < everyMs) return;
    await inTurn(async () => {
      if (this.#isClosed) return;
      await tidy(this.#parts, { ...rules, tenant: name, by: BY });
      const row: FileRow = {
        tenant: key,
        space: 0,
        path: LAST,
        data: "null",
        writer: "tidy",
        label: "trusted/public",
        writtenAt: platform.now(),
      };
      journal.write({ op: "file.put", row });
      await journal.durable();
    });
  }
}
