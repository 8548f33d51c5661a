// Program runner setup: what tools need to run programs, created at the first use.
//
// PROGRAM-RUNNER-SETUP-1  The machine is probed, and folders are created, only when a tool needs them.
// PROGRAM-RUNNER-SETUP-2  Everything opened is closed; folders made for lack of a home are removed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createSandbox,
  createWorkspaces,
  type Sandbox,
  type SandboxOptions,
  type ProgramRunner,
  type Workspaces,
} from "@aos/drivers";
import type { Json, MarkKeeper } from "@aos/protocol";

export interface ProgramRunnerOptions {
  readonly sandbox?: SandboxOptions;
  readonly workspaces?: {
    /** A folder that is removed at the end when absent. */
    readonly folder?: string;
    readonly ttlMs?: number;
    readonly maxBytes?: number;
  };
  /** Folders that no program sees: where the daemon keeps its own things. */
  readonly private?: readonly string[];
  /** Where files with power go that a program made; a folder that is removed at the end when absent. */
  readonly quarantine?: string;
  readonly onQuarantine?: ProgramRunner["onQuarantine"];
  /** Who keeps the labels of files, once it is there. */
  readonly marks?: () => MarkKeeper;
}

const DAY_MS = 86_400_000;
export const defaultWorkspaces = { ttlMs: 7 * DAY_MS, maxBytes: 4 * 1024 * 1024 * 1024 } as const;

export interface OpenProgramRunner extends ProgramRunner {
  close(): Promise<void>;
}

export function openProgramRunner(options: ProgramRunnerOptions): OpenProgramRunner {
  const { folder, ttlMs, maxBytes } = { ...defaultWorkspaces, ...options.workspaces };
  let made: string | undefined;
  let sandbox: Promise<Sandbox> | undefined;
  let workspaces: Workspaces | undefined;
  const ownFolder = () => (made ??= mkdtempSync(join(tmpdir(), "aos-")));
  return {
    sandbox: () => (sandbox ??= createSandbox(options.sandbox)),
    get workspaces() {
      return (workspaces ??= createWorkspaces({
        folder: folder ?? join(ownFolder(), "work"),
        ttlMs,
        maxBytes,
        ...(options.marks === undefined ? {} : { marks: options.marks }),
      }));
    },
    get socketFolder() {
      return join(ownFolder(), "s"); // short: the path of a socket has little room
    },
    get quarantine() {
      return options.quarantine ?? join(ownFolder(), "q");
    },
    ...(options.onQuarantine === undefined ? {} : { onQuarantine: options.onQuarantine }),
    private: options.private ?? [],
    close: async () => {
      await (await sandbox?.catch(() => undefined))?.close();
      if (made !== undefined) rmSync(made, { recursive: true, force: true });
    },
  };
}

/** What the ledger says of files with power that a program wrote: what became of them, and how to put them back. */
export const quarantineEntry = (
  said: readonly string[],
  taken: Parameters<NonNullable<ProgramRunner["onQuarantine"]>>[2],
): Json => ({
  said: [...said],
  taken: taken.map(({ from, to }) => ({
    from,
    to,
    putBack: `cp -a ${inShell(to)} ${inShell(from)}`,
  })),
});

const inShell = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;
