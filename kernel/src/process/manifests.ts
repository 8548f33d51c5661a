// Manifests: the manifests of loaded processes, by hash. One that several processes share is read, checked and parsed
// once.
//
// MANIFESTS-1  A text that does not match its hash is refused.

import { SysError, type Manifest } from "@aos/protocol";
import { digestOf } from "../journal/codec.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessRow } from "../store/rows.ts";

/** To forget them costs reading them again. */
const MOST_KNOWN = 1000;

type Owner = Pick<ProcessRow, "pid" | "tenant" | "spec">;

export class Manifests {
  readonly #store: Pick<Store, "manifest">;
  readonly #known = new Map<string, Promise<Manifest>>();

  constructor(store: Pick<Store, "manifest">) {
    this.#store = store;
  }

  of(owner: Owner): Promise<Manifest> {
    const { tenant, spec } = owner;
    const name = `${tenant} ${spec.manifestHash}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const reading = this.#read(owner);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(name, reading);
    reading.catch(() => this.#known.delete(name));
    return reading;
  }

  async #read({ pid, tenant, spec: { manifestHash } }: Owner): Promise<Manifest> {
    const text = await this.#store.manifest(tenant, manifestHash);
    if (text === undefined) throw new SysError("ECORRUPT", `the manifest of ${pid} is missing`);
    if (digestOf(text) === manifestHash) return JSON.parse(text) as Manifest;
    throw new SysError(
      "ECORRUPT",
      `the manifest of ${pid} is not the one that it was started with`,
      {
        hint: "the database was changed outside Agent OS: run `aos audit verify`",
      },
    );
  }
}
