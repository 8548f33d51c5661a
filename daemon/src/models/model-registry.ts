// ModelRegistry: the configured providers, models and slot rules.
//
// MODEL-REGISTRY-1  Providers, models and shares of config.yaml apply as soon as they are read, without a restart. An
//     invalid file changes nothing.
// MODEL-REGISTRY-2  A driver is created anew only if its settings have changed; requests in progress continue.
// MODEL-REGISTRY-3  No key is here: a driver knows the name of the secret.

import type { ModelSource, SlotRules } from "@aos/kernel";
import {
  keyNameOf,
  knownProviders,
  type ModelDriver,
  type ModelPrice,
  type ProviderType,
} from "@aos/protocol";
import { slotRulesOf, type ModelConfig } from "../model-config.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { changesBetween, type ConfigChanges } from "./config-changes.ts";
import { baseUrlOf, isLoopbackUrl } from "./provider-types.ts";

/** What a driver is made from. */
export interface Declaration {
  readonly name: string;
  readonly type: ProviderType;
  readonly baseUrl: string;
  /** The name of the secret that is its key; absent where none is needed. */
  readonly keySecret?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The longest silence before the first word of an answer, and between two pieces of it. */
  readonly firstMs?: number;
  readonly idleMs?: number;
  /** What the operator says of its models, by their names without the provider. */
  readonly models: Readonly<Record<string, ModelFacts>>;
}

export interface ModelFacts {
  readonly price?: ModelPrice;
  readonly window?: number;
  readonly maxOutputTokens?: number;
}

interface Parts<Config extends ModelConfig> {
  readonly config: Config;
  readonly read: () => Config;
  /** The day of the prices that stand in the file. */
  readonly dayOf: () => string;
  readonly create: (declaration: Declaration) => ModelDriver;
  /** Told what another reading changed. */
  readonly onChanges?: (changes: ConfigChanges) => void;
  /** Those that are no providers: `replay`, `record`. */
  readonly more: readonly ModelDriver[];
}

export class ModelRegistry<Config extends ModelConfig = ModelConfig> implements ModelSource {
  readonly #parts: Parts<Config>;
  readonly #drivers = new Map<string, { readonly from: string; readonly driver: ModelDriver }>();
  #config: Config;
  #rules: SlotRules;
  #day: string;

  constructor(parts: Parts<Config>) {
    this.#parts = parts;
    this.#config = parts.config;
    this.#rules = slotRulesOf(parts.config);
    this.#day = parts.dayOf();
  }

  get config(): ModelConfig {
    return this.#config;
  }

  readonly slots = (): SlotRules => this.#rules;

  /** MODEL-REGISTRY-1. */
  reread(): void {
    const read = this.#parts.read();
    const changes = changesBetween(this.#config, read);
    this.#config = read;
    this.#rules = slotRulesOf(read);
    this.#day = this.#parts.dayOf();
    this.#parts.onChanges?.(changes);
  }

  driver(provider: string): ModelDriver | undefined {
    const declared = this.declaration(provider);
    if (declared === undefined) return this.#parts.more.find((one) => one.provider === provider);
    const from = JSON.stringify(declared);
    const known = this.#drivers.get(provider);
    if (known?.from === from) return known.driver; // MODEL-REGISTRY-2
    const driver = this.#parts.create(declared);
    this.#drivers.set(provider, { from, driver });
    return driver;
  }

  providers(): string[] {
    return [...this.names(), ...this.#parts.more.map(({ provider }) => provider)];
  }

  /** Those that are configured, and those that are known without it. */
  names(): string[] {
    return [...new Set([...Object.keys(this.#config.providers), ...Object.keys(knownProviders)])];
  }

  declaration(name: string): Declaration | undefined {
    const written = own(this.#config.providers, name) ?? own(knownProviders, name);
    if (written === undefined) return undefined;
    const { type, key, headers, timeouts } = {
      headers: undefined,
      timeouts: undefined,
      ...written,
    };
    const baseUrl = written.baseUrl ?? baseUrlOf(name, type) ?? "";
    const keySecret =
      key === undefined && isKeyless(type, baseUrl) ? false : (key ?? keyNameOf(name));
    return {
      name,
      type,
      baseUrl,
      models: this.#saidOf(name),
      ...(keySecret === false ? {} : { keySecret }),
      ...omitUndefined({ headers, firstMs: timeouts?.first, idleMs: timeouts?.idle }),
    };
  }

  #saidOf(provider: string): Record<string, ModelFacts> {
    const start = `${provider}/`;
    return Object.fromEntries(
      Object.entries(this.#config.models)
        .filter(([name]) => name.startsWith(start))
        .map(([name, { price, window, maxOutputTokens }]) => [
          name.slice(start.length),
          {
            ...omitUndefined({ window, maxOutputTokens }),
            ...(price === undefined
              ? {}
              : {
                  price: {
                    input: price.input,
                    output: price.output,
                    ...omitUndefined({
                      cachedInput: price.cachedInput,
                      cacheWrite: price.cacheWrite,
                    }),
                    date: this.#day,
                    source: "config.yaml",
                  },
                }),
          },
        ]),
    );
  }
}

/** A server of this machine wants no key unless the configuration names one. */
const isKeyless = (type: ProviderType, baseUrl: string): boolean =>
  type === "ollama" || isLoopbackUrl(baseUrl);

const own = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;
