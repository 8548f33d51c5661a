// Offline: what the daemon's program does for the command line without a daemon: one request on standard input, and one
// JSON value a line as the answer, of which the last has a report or an error.

import type { FailureText } from "./failures.ts";
import type { AuditFinding, BackupReport } from "./operations/index.ts";

export type OfflineRequest =
  | { readonly do: "backup"; readonly file: string; readonly passphrase: string }
  | {
      readonly do: "restore";
      readonly file: string;
      readonly passphrase: string;
      /** `sqlite` or a URL. */
      readonly database?: string;
      readonly force?: boolean;
      readonly skipReplay?: boolean;
      readonly dryRun?: boolean;
    }
  | { readonly do: "migrate"; readonly to: string; readonly from?: string }
  | { readonly do: "rollback"; readonly schema: number }
  /** Without a file: what was imported. */
  | { readonly do: "import"; readonly file?: string }
  | { readonly do: "replay"; readonly file?: string; readonly pid?: string };

export interface RunOutcome {
  readonly pid: string;
  readonly outcome: string;
  readonly reason: string | null;
}

export interface RestoreReport {
  readonly home: string;
  readonly dryRun: boolean;
  /** Of the release that made the backup. */
  readonly version: string;
  readonly schema: number;
  readonly endedAt: string;
  readonly database: "sqlite" | "postgres";
  readonly processes: number;
  readonly living: number;
  readonly records: number;
  /** Runs that were replayed byte for byte. */
  readonly identical: number;
  readonly compacted: number;
  readonly notReplayed: readonly RunOutcome[];
  readonly different: readonly RunOutcome[];
  readonly findings: readonly AuditFinding[];
  /** Where the home without runs is now that was there before. */
  readonly movedAside: string | null;
}

export interface MigrateReport {
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  readonly tables: Readonly<Record<string, number>>;
  readonly findings: readonly AuditFinding[];
  /** Where the database file is now that was copied. */
  readonly movedAside: string | null;
}

/** A run of another machine: history, of which nothing runs here. */
export interface ImportedRun {
  readonly pid: string;
  readonly agent: string;
  readonly state: string;
  readonly replay: string;
  /** The file in the home that it is in. */
  readonly bundle: string | null;
  readonly signer: string | null;
  readonly importedAt: string | null;
}

export interface ImportReport {
  readonly file: string | null;
  readonly bundle: string | null;
  readonly signer: string | null;
  readonly runs: readonly ImportedRun[];
}

export interface RollbackReport {
  readonly schema: number;
  /** The steps that were taken back, the last first. */
  readonly undone: readonly number[];
}

export interface OfflineReports {
  readonly rollback: RollbackReport;
  readonly import: ImportReport;
  readonly replay: ImportReport;
  readonly backup: BackupReport;
  readonly restore: RestoreReport;
  readonly migrate: MigrateReport;
}

export type OfflineLine =
  | { readonly doing: string; readonly done: number; readonly of?: number }
  | { readonly report: OfflineReports[keyof OfflineReports] }
  | { readonly error: FailureText };
