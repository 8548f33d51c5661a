// The setting of a tenant's ceiling: reading, changing, storing it, and its list of capabilities.
//
// CEILING-SETTING-1  The list is whole and canonical: what cannot be read is refused before anything is
//     taken.
// CEILING-SETTING-2  The stored text carries a MAC over the tenant's name and the setting, under a key
//     that is not in the store. A kernel without a key of its own (a library that forgets) stores and
//     reads it without.

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { type CeilingChange, type CeilingSetting, DEFAULT_TENANT, SysError } from "@aos/protocol";
import { defaultCeiling, readCeiling } from "../policy-formats/ceiling-list.ts";
import type { KernelOptions } from "../options.ts";
import type { SecretKey } from "../secret/index.ts";

/** CEILING-SETTING-1. */
export function readSetting({ ceiling, allow }: CeilingSetting): CeilingSetting {
  return {
    ...(ceiling === undefined
      ? {}
      : { ceiling: typeof ceiling === "string" ? ceiling : readCeiling(ceiling) }),
    ...(allow === undefined || allow.length === 0 ? {} : { allow: readCeiling(allow) }),
  };
}

/** The capabilities of the ceiling; null where there is none. */
export function effective(name: string, setting: CeilingSetting): readonly string[] | null {
  const { ceiling = "default", allow = [] } = setting;
  const base = ceiling === "default" && name === DEFAULT_TENANT ? "none" : ceiling;
  if (base === "none") return null;
  return [...new Set([...(base === "default" ? readCeiling(defaultCeiling) : base), ...allow])];
}

export function withChange(
  name: string,
  before: CeilingSetting,
  { ceiling, allow = [], remove = [] }: CeilingChange,
): CeilingSetting {
  if (ceiling === undefined && allow.length === 0 && remove.length === 0)
    throw new SysError("EINVAL", "the request changes nothing", {
      hint: "pass --ceiling, --allow or --remove",
    });
  // What replaces the ceiling replaces what was allowed beside it as well.
  const base: CeilingSetting = ceiling === undefined ? before : { ceiling };
  const more = readSetting({ ...base, allow: [...(base.allow ?? []), ...allow] });
  if (remove.length === 0) return mustMatter(name, more, allow);
  const gone = new Set(readCeiling(remove));
  const list = effective(name, more) ?? [];
  const absent = [...gone].find((text) => !list.includes(text));
  if (absent !== undefined)
    throw new SysError("ENOENT", `the ceiling of tenant ${name} does not contain ${absent}`, {
      hint: `aos tenant show ${name} lists it`,
    });
  return { ceiling: list.filter((text) => !gone.has(text)) };
}

/** To allow something where everything is allowed would look like a limit, and be none. */
function mustMatter(name: string, next: CeilingSetting, allow: readonly string[]): CeilingSetting {
  if (allow.length === 0 || effective(name, next) !== null) return next;
  throw new SysError("EINVAL", `tenant ${name} has no ceiling to add to`, {
    hint: `set the whole ceiling: aos tenant set ${name} --ceiling CAPABILITY …`,
  });
}

export const inWords = (capabilities: readonly string[] | null): string =>
  JSON.stringify(capabilities);

type Stored =
  | { readonly ok: true; readonly setting: CeilingSetting }
  | { readonly ok: false; readonly problem: string };

/** CEILING-SETTING-2. */
export class CeilingSeal {
  readonly #keys: readonly Buffer[];

  /** Without keys nothing is signed, and nothing is checked. */
  constructor(keys: readonly SecretKey[]) {
    this.#keys = keys.map(({ bytes }) =>
      Buffer.from(hkdfSync("sha256", bytes, "", "agent-os tenant ceiling", 32)),
    );
  }

  /** A key that is made for this one life signs nothing that the next could check. */
  static of(
    options: Pick<KernelOptions, "secretKey" | "secretKeyFile">,
    keys: readonly SecretKey[],
  ) {
    const isKept = options.secretKey !== undefined || options.secretKeyFile !== undefined;
    return new CeilingSeal(isKept ? keys : []);
  }

  text(name: string, setting: CeilingSetting): string {
    const [key] = this.#keys;
    const said = JSON.stringify(setting);
    return JSON.stringify({ said, ...(key === undefined ? {} : { mac: macOf(key, name, said) }) });
  }

  read(name: string, text: string | null): Stored {
    if (text === null) return { ok: true, setting: {} };
    try {
      const { said, mac } = JSON.parse(text) as { said: string; mac?: string };
      const fits =
        this.#keys.length === 0 || this.#keys.some((key) => isSame(macOf(key, name, said), mac));
      if (fits) return { ok: true, setting: readSetting(JSON.parse(said) as CeilingSetting) };
    } catch {
      // Not what this kernel writes.
    }
    return {
      ok: false,
      problem: `the stored ceiling of tenant ${name} was not written by this kernel: \`aos tenant set ${name}\` sets it again`,
    };
  }
}

const macOf = (key: Buffer, name: string, said: string): string =>
  createHmac("sha256", key).update(`${name}\n${said}`).digest("hex");

function isSame(mac: string, given: string | undefined): boolean {
  const [one, two] = [Buffer.from(mac), Buffer.from(given ?? "")];
  return one.length === two.length && timingSafeEqual(one, two);
}
