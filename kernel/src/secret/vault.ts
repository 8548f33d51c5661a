// Vault: the secrets of every tenant. Agents know names; a value leaves the vault only for a place that it is bound
// to.
//
//   Vault.open(rows, keys, platform)   the first key seals, any of them opens
//   reveal(tenant, name, place)        what to put there; throws ENOENT, EACCES
//   set, remove, list                  for operators; no result contains a value or a derivative of it
//   rekey(key)                         seals every row anew
//   scrubber(tenant?)                  takes the values of one tenant, or of all, out of a text
//
// VAULT-1  A value is released only for a place that a binding covers.
// VAULT-2  Memory follows the store: it changes after the row, and changes are ordered.
// VAULT-3  If one row cannot be opened, the vault does not open: without its value it could not be scrubbed.
// VAULT-4  A replaced value is scrubbed as long as this vault lives, since its recipients may still show it.
// VAULT-5  A secret in doubt is not released until it is set again. Its value is scrubbed.

import { type SecretPlace, SysError } from "@aos/protocol";
import type { Platform } from "../platform/clock.ts";
import { type Binding, isBound, bindingMismatch, placeText, readBinding } from "./binding.ts";
import { MIN_SECRET_LENGTH } from "./forms.ts";
import type { SecretKey } from "./key.ts";
import { type DeclaredSecret, Scrubber } from "./scrubber.ts";
import { NONCE_BYTES, seal, type Secret, type SealedSecret, unseal } from "./seal.ts";

/** Where rows are kept: the kernel's store. */
export interface SecretRows {
  all(): Promise<readonly SealedSecret[]>;
  /** `by` is who set or removed it; nobody did where a row is only sealed anew. */
  put(row: SealedSecret, by?: string): Promise<void>;
  remove(tenant: string, name: string, by?: string): Promise<void>;
}

/** What an operator sees of a secret. */
export interface SecretSummary {
  readonly name: string;
  readonly bindings: readonly Binding[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewSecret {
  readonly name: string;
  readonly value: string;
  readonly bindings: readonly Binding[];
}

type Keys = readonly [SecretKey, ...SecretKey[]];

const NAME = /^[A-Z][A-Z0-9_]{0,62}$/;
const MAX_VALUE_LENGTH = 65_536;
const MAX_BINDINGS = 32;

export class Vault {
  readonly #rows: SecretRows;
  readonly #platform: Platform;
  #keys: Keys;
  #secrets = new Map<string, Secret>();
  /** VAULT-5. Why, by the id of the secret. */
  #doubted = new Map<string, string>();
  #retired: (DeclaredSecret & { readonly tenant: string })[] = [];
  readonly #scrubbers = new Map<string | undefined, Scrubber>();
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(rows: SecretRows, keys: Keys, platform: Platform) {
    this.#rows = rows;
    this.#keys = keys;
    this.#platform = platform;
  }

  static async open(rows: SecretRows, keys: Keys, platform: Platform): Promise<Vault> {
    const vault = new Vault(rows, keys, platform);
    await vault.reload();
    return vault;
  }

  /** Reads the rows again, which another node may have changed. */
  async reload(): Promise<void> {
    await this.#inTurn(async () => {
      const secrets = (await this.#rows.all()).map((row) => unseal(row, this.#keys));
      const before = this.#secrets;
      this.#secrets = new Map(secrets.map((secret) => [idOf(secret.tenant, secret.name), secret]));
      for (const [id, secret] of this.#secrets) this.#retire(before.get(id), secret.value);
      this.#scrubbers.clear();
    });
  }

  has(tenant: string, name: string): boolean {
    return this.#secrets.has(idOf(tenant, name));
  }

  reveal(tenant: string, name: string, place: SecretPlace): string {
    const secret = this.#secrets.get(idOf(tenant, name));
    if (secret === undefined)
      throw new SysError("ENOENT", `unknown secret ${name}`, { detail: { secret: name } });
    const doubt = this.#doubted.get(idOf(tenant, name));
    if (doubt !== undefined) throw new SysError("ECORRUPT", doubt); // VAULT-5
    const binding = secret.bindings.find((bound) => isBound(bound, place));
    if (binding === undefined) {
      throw new SysError("EACCES", `the secret ${name} may not be used in ${placeText(place)}`, {
        hint: `the operator can add a binding: aos secret set ${name}`,
        detail: { secret: name },
      });
    }
    return binding.kind === "header" ? `${binding.prefix ?? ""}${secret.value}` : secret.value;
  }

  /** VAULT-5. By `[tenant, name]` as JSON: why. Those that are not named are in doubt no longer. */
  doubt(problems: ReadonlyMap<string, string>): void {
    this.#doubted = new Map(problems);
  }

  async set(
    tenant: string,
    { name, value, bindings: written }: NewSecret,
    by?: string,
  ): Promise<void> {
    const bindings = written.map(readBinding);
    refuseUnfit(name, value, bindings);
    await this.#inTurn(async () => {
      const old = this.#secrets.get(idOf(tenant, name));
      const updatedAt = Math.max(this.#platform.now(), (old?.updatedAt ?? -1) + 1);
      const createdAt = old?.createdAt ?? updatedAt;
      const secret = { tenant, name, value, bindings, createdAt, updatedAt };
      await this.#rows.put(this.#seal(secret, this.#keys[0]), by);
      this.#secrets.set(idOf(tenant, name), secret);
      this.#doubted.delete(idOf(tenant, name));
      this.#retire(old, value);
      this.#scrubbers.clear();
    });
  }

  /** Whether there was one. */
  async remove(tenant: string, name: string, by?: string): Promise<boolean> {
    return this.#inTurn(async () => {
      if (!this.#secrets.has(idOf(tenant, name))) return false;
      await this.#rows.remove(tenant, name, by);
      this.#secrets.delete(idOf(tenant, name));
      this.#doubted.delete(idOf(tenant, name));
      this.#retired = this.#retired.filter((old) => old.tenant !== tenant || old.name !== name);
      this.#scrubbers.clear();
      return true;
    });
  }

  list(tenant: string): SecretSummary[] {
    return [...this.#secrets.values()]
      .filter((secret) => secret.tenant === tenant)
      .map(({ name, bindings, createdAt, updatedAt }) => ({ name, bindings, createdAt, updatedAt }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** How many rows were sealed anew. If it is cut short, open with both keys and do it again. */
  async rekey(key: SecretKey): Promise<number> {
    return this.#inTurn(async () => {
      // From the first row on both are needed, and what is set meanwhile waits its turn.
      this.#keys = [key, ...this.#keys];
      for (const secret of this.#secrets.values()) await this.#rows.put(this.#seal(secret, key));
      this.#keys = [key];
      return this.#secrets.size;
    });
  }

  scrubber(tenant?: string): Scrubber {
    const known = this.#scrubbers.get(tenant);
    if (known !== undefined) return known;
    const scrubber = new Scrubber(
      [...this.#secrets.values(), ...this.#retired].filter(
        (secret) => tenant === undefined || secret.tenant === tenant,
      ),
    );
    this.#scrubbers.set(tenant, scrubber);
    return scrubber;
  }

  #seal(secret: Secret, key: SecretKey): SealedSecret {
    return seal(secret, key, this.#platform.bytes(NONCE_BYTES));
  }

  #retire(old: Secret | undefined, value: string): void {
    if (old === undefined || old.value === value) return;
    this.#retired.push({ tenant: old.tenant, name: old.name, value: old.value });
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(change);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

const idOf = (tenant: string, name: string): string => JSON.stringify([tenant, name]);

function refuseUnfit(name: string, value: string, bindings: readonly Binding[]): void {
  const refuse = (problem: string) => new SysError("EINVAL", problem);
  if (!NAME.test(name))
    throw refuse(`the name of a secret consists of A-Z, 0-9 and _ and begins with a letter`);
  if (value.trim().length < MIN_SECRET_LENGTH)
    throw refuse(
      `the value of ${name} is shorter than ${MIN_SECRET_LENGTH} characters: a shorter value cannot be redacted reliably`,
    );
  if (value.length > MAX_VALUE_LENGTH)
    throw refuse(`the value of ${name} is longer than ${MAX_VALUE_LENGTH} characters`);
  if (!value.isWellFormed()) throw refuse(`the value of ${name} is not valid Unicode`);
  if (bindings.length > MAX_BINDINGS) throw refuse(`a secret has at most ${MAX_BINDINGS} bindings`);
  for (const binding of bindings) {
    const problem = bindingMismatch(binding, value);
    if (problem !== undefined) throw refuse(`the value of ${name} does not fit: ${problem}`);
  }
}
