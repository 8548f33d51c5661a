// UnsandboxedDriver: runs programs without a sandbox, for `level: none`. They have all rights of the daemon's user.
// Time, output, CPU, memory and processes are watched, which does not stop a malicious program.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SysError, type Hold } from "@aos/protocol";
import type { Driver } from "./guarded.ts";
import { settleLimits } from "./limits.ts";
import { markOf, type DaemonMark } from "./owner.ts";
import { everyPart } from "./report.ts";
import { withRlimits } from "./rlimits.ts";
import type { Launch } from "./launch.ts";
import { startSandboxedRun } from "./run.ts";
import type { SandboxedRun, RunLimits, RunRequest, SandboxReport } from "./sandbox.ts";
import { onMachine, placeMounts } from "./sources.ts";
import { WatchedGroups } from "./watched-group.ts";

export const noneReport: SandboxReport = {
  level: "none",
  driver: "nothing",
  holds: everyPart<Hold>("absent"),
  mechanisms: everyPart("nothing"),
  warnings: [
    "programs run with all the rights of the daemon, because config.yaml says `sandbox.level: none`",
  ],
};

export class UnsandboxedDriver implements Driver {
  readonly #groups = new WatchedGroups();
  readonly #owner: DaemonMark;
  readonly #limits: RunLimits;

  constructor(owner: DaemonMark, limits: RunLimits) {
    this.#owner = owner;
    this.#limits = limits;
  }

  async start(request: RunRequest): Promise<SandboxedRun> {
    if (request.command.length === 0) throw new SysError("EINVAL", "the command is empty");
    const limits = settleLimits(request.limits, this.#limits);
    const mounts = placeMounts(request.mounts);
    const scratch = mkdtempSync(join(tmpdir(), `${markOf(this.#owner)}-`));
    const group = await this.#groups.take({ limits, mark: scratch });
    const needs = { limits, withMemory: false, descriptors: 0 };
    const folder = request.folder ?? scratch;
    const launch: Launch = {
      command: withRlimits(needs, request.command),
      env: {
        PATH: process.env["PATH"] ?? "/usr/bin:/bin",
        HOME: scratch,
        LANG: "C.UTF-8",
        TMPDIR: scratch,
        ...request.env,
      },
      // There is no separate file system view: the folder has its real path.
      folder: onMachine(folder, mounts) ?? (existsSync(folder) ? folder : scratch),
      writable: [...mounts.filter(({ mode }) => mode === "write").map(({ from }) => from), scratch],
      cleanUp: () => rmSync(scratch, { recursive: true, force: true }),
    };
    try {
      return await startSandboxedRun(launch, request, { limits, group });
    } catch (error) {
      launch.cleanUp?.();
      throw error;
    }
  }

  async close(): Promise<void> {}
}
