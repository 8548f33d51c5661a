// Write kinds: what a commit can do to the rows beside a chain.

import type { Lane, ProcessState, WaitKind } from "@aos/protocol";
import type {
  DeadLetterRow,
  DurableRow,
  EmbeddingRow,
  FileRow,
  HoldingRow,
  LedgerRow,
  MessageRow,
  ProcessKey,
  ProcessRow,
  QuestionRow,
  RequestRow,
  SecretRow,
  SignalRow,
  TenantKey,
  TenantRow,
  VoteRow,
} from "./rows.ts";

export interface ProcessPatch {
  readonly state?: ProcessState;
  readonly waitingOn?: WaitKind | null;
  readonly wakeAt?: number | null;
  readonly base?: number;
  readonly lane?: Lane;
  readonly begunAt?: number;
  readonly label?: string | null;
  readonly exitCode?: number;
  readonly endedAt?: number;
  /** JSON text. */
  readonly output?: string;
  /** JSON text. */
  readonly error?: string | null;
}

/** Where a new process's history comes from when it is not its own. */
export interface SharedHistory {
  readonly from: ProcessKey;
  readonly at: number;
  readonly hash: Uint8Array;
}

export type Write =
  | {
      readonly op: "process.add";
      readonly row: ProcessRow;
      readonly node: string;
      readonly shared?: SharedHistory;
    }
  | { readonly op: "process.patch"; readonly key: ProcessKey; readonly patch: ProcessPatch }
  | { readonly op: "message.add"; readonly row: MessageRow }
  | { readonly op: "message.take"; readonly key: number }
  | { readonly op: "request.open"; readonly row: RequestRow }
  | { readonly op: "request.close"; readonly id: string }
  /** All that it has asked: it has ended. */
  | { readonly op: "request.drop"; readonly process: ProcessKey }
  | {
      readonly op: "letter.bury";
      readonly row: DeadLetterRow;
      /** So many of a tenant are kept. */
      readonly keep: number;
    }
  /** The message in the place of the dead letter with this key; nothing where that is gone. */
  | { readonly op: "letter.redrive"; readonly letter: number; readonly row: MessageRow }
  /** The backlog, and what an ended process has left of it, becomes its process's. */
  | { readonly op: "durable.put"; readonly row: DurableRow }
  | {
      readonly op: "topic.put";
      readonly tenant: TenantKey;
      readonly topic: string;
      /** JSON text; null removes it. */
      readonly schema: string | null;
    }
  | {
      readonly op: "subscription.add";
      readonly tenant: TenantKey;
      readonly process: ProcessKey;
      readonly topic: string;
      readonly isPattern?: boolean;
    }
  | { readonly op: "signal.add"; readonly row: SignalRow }
  | { readonly op: "signal.take"; readonly key: number }
  | { readonly op: "file.put"; readonly row: FileRow }
  | {
      readonly op: "file.remove";
      readonly tenant: TenantKey;
      readonly space: ProcessKey;
      readonly path: string;
    }
  | { readonly op: "embedding.put"; readonly row: EmbeddingRow }
  | { readonly op: "question.put"; readonly row: QuestionRow }
  | {
      readonly op: "question.answer";
      readonly id: string;
      /** Null withdraws it. */
      readonly answer: string | null;
      readonly reason: string | null;
      readonly by: string;
      readonly at: number;
    }
  | {
      /** Settles the question with the vote's choice when `needed` have made it. */
      readonly op: "vote.add";
      readonly row: VoteRow;
      readonly needed: number;
    }
  | {
      readonly op: "holding.add";
      readonly row: HoldingRow;
      /** Only if the yes of this person, at this time, settled the question. */
      readonly ifSettled?: {
        readonly question: string;
        readonly by: string;
        readonly at: number;
      };
    }
  | { readonly op: "holding.set"; readonly handle: string; readonly state: HoldingRow["state"] }
  | {
      readonly op: "revoked.add";
      readonly id: string;
      readonly tenant: TenantKey;
      readonly at: number;
      readonly by: string;
    }
  | {
      readonly op: "label.put";
      readonly tenant: TenantKey;
      readonly resource: string;
      readonly label: string;
    }
  | { readonly op: "secret.put"; readonly row: SecretRow }
  | { readonly op: "secret.remove"; readonly tenant: TenantKey; readonly name: string }
  | { readonly op: "ledger.add"; readonly row: LedgerRow }
  | {
      readonly op: "blob.put";
      readonly tenant: TenantKey;
      readonly process: ProcessKey;
      readonly digest: string;
      /** The text; or the digests of its parts, with a blank between them. */
      readonly body: string;
      readonly inParts?: true;
      /** The record whose state it is of, and nothing else (state-drop.ts). */
      readonly state?: number;
    }
  | {
      readonly op: "manifest.put";
      readonly tenant: TenantKey;
      readonly hash: string;
      readonly body: string;
    }
  | {
      readonly op: "block.put";
      readonly tenant: TenantKey;
      readonly id: string;
      readonly state: string;
    }
  | {
      readonly op: "core.put";
      readonly tenant: TenantKey;
      readonly process: ProcessKey;
      readonly body: string;
    }
  | { readonly op: "tenant.set"; readonly row: TenantRow }
  /** Of a schedule: a `ScheduleChange` (schedule-rows.ts). */
  | { readonly op: "schedule"; readonly change: object }
  /** Of a fleet: a `FleetChange` (fleet-rows.ts). */
  | { readonly op: "fleet"; readonly change: object };
