// Guarded: what every sandbox does around its driver: refuses disallowed runs, tracks running ones, and ends them.
//
// GUARDED-3  A run is refused if a required part is not enforced.

import { SysError, type SandboxPart } from "@aos/protocol";
import type { SandboxedRun, RunRequest, Sandbox, SandboxReport } from "./sandbox.ts";

export interface Driver {
  start(request: RunRequest): Promise<SandboxedRun>;
  /** Removes what is kept between runs. */
  close(): Promise<void>;
}

export class GuardedSandbox implements Sandbox {
  readonly report: SandboxReport;
  readonly #driver: Driver;
  readonly #require: readonly SandboxPart[];
  readonly #runs = new Set<SandboxedRun>();
  readonly #starting = new Set<Promise<SandboxedRun>>();
  #isClosed = false;

  constructor(driver: Driver, report: SandboxReport, require: readonly SandboxPart[]) {
    this.#driver = driver;
    this.report = report;
    this.#require = require;
  }

  async start(request: RunRequest): Promise<SandboxedRun> {
    if (this.#isClosed) throw new SysError("ESTATE", "the sandbox is closed");
    this.#mustHold();
    const starting = this.#driver.start(request);
    this.#starting.add(starting);
    try {
      const run = await starting;
      this.#runs.add(run);
      void run.ended.then(() => this.#runs.delete(run));
      return run;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.allSettled(this.#starting);
    const runs = [...this.#runs];
    for (const run of runs) run.kill();
    await Promise.all(runs.map((run) => run.ended));
    await this.#driver.close();
  }

  #mustHold(): void {
    const { holds, warnings } = this.report;
    const missing = this.#require.filter((part) => holds[part] !== "enforced");
    if (missing.length === 0) return;
    const said = missing.map((part) => `${part} (${holds[part]})`).join(", ");
    throw new SysError(
      "EACCES",
      `the sandbox of this machine does not enforce ${said}, which sandbox.require demands`,
      {
        hint: warnings[0] ?? "see `aos doctor`, and `sandbox.require` in config.yaml",
        detail: { notHeld: missing },
      },
    );
  }
}
