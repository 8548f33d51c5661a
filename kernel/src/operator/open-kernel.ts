// OpenKernel: whether the kernel still takes requests. Each family of its methods asks here first.
//
// OPEN-KERNEL-1  After `close`, or once the journal has failed, no operation begins and none reports a process.

import { isEnded, SysError } from "@aos/protocol";
import type { ProcessRow } from "../store/rows.ts";
import { closeKernel } from "./close.ts";
import type { KernelParts } from "./kernel-parts.ts";

export class OpenKernel {
  readonly #parts: KernelParts;
  readonly #stopping = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(parts: KernelParts) {
    this.#parts = parts;
  }

  /** Aborted when the kernel closes: waiting callers get the present state. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** OPEN-KERNEL-1. */
  mustBeOpen(): void {
    if (this.#closed !== undefined) throw new SysError("ESTATE", "the kernel is closed");
    if (this.#parts.journal.failure !== undefined) throw this.#parts.journal.failure;
  }

  async find(pid: string): Promise<ProcessRow> {
    this.mustBeOpen();
    return this.#parts.directory.find(pid);
  }

  async findLiving(pid: string): Promise<ProcessRow> {
    const row = await this.find(pid);
    if (isEnded(row.state)) throw new SysError("ESTATE", `${pid} has ended`);
    return row;
  }

  /** With all that it did until now on the disk. */
  async findRecorded(pid: string): Promise<ProcessRow> {
    this.mustBeOpen();
    await this.#parts.journal.durable();
    return this.#parts.directory.find(pid);
  }

  close(failure: unknown): Promise<void> {
    this.#closed ??= closeKernel(this.#parts, this.#stopping, failure);
    return this.#closed;
  }
}
