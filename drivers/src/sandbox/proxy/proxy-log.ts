// ProxyLog: the visited and refused hosts of a run, for the result of its tool.

import { failures, type SysError } from "@aos/protocol";

export interface ProxiedRequest {
  /** With its port where that is not the usual one; empty where none could be read. */
  readonly host: string;
  /** As in a capability; `connect` for a tunnel that was passed on unseen. */
  readonly verb: string;
  readonly status: number;
  /** How often. */
  readonly count: number;
}

const MAX_DIFFERENT = 200;
const OTHERS = "others";

/** Failures of the far side. Everything else was refused here. */
const FAR_SIDE = new Set(["EUPSTREAM", "ETIMEDOUT", "EINTR"]);

export class ProxyLog {
  readonly #byName = new Map<string, ProxiedRequest>();
  #refusals = 0;

  note(host: string, verb: string, status: number): void {
    const name = `${host} ${verb} ${status}`;
    if (!this.#byName.has(name) && this.#byName.size >= MAX_DIFFERENT && host !== OTHERS)
      return this.note(OTHERS, verb, status);
    const count = (this.#byName.get(name)?.count ?? 0) + 1;
    this.#byName.set(name, { host, verb, status, count });
  }

  /** Gives the status to answer with. */
  noteFailure(host: string, verb: string, error: SysError): number {
    if (!FAR_SIDE.has(error.code)) this.#refusals += 1;
    const status = failures[error.code].http;
    this.note(host, verb, status);
    return status;
  }

  get refusals(): number {
    return this.#refusals;
  }

  list(): readonly ProxiedRequest[] {
    return [...this.#byName.values()];
  }
}
