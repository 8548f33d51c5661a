// Mail reports: what of the store's mail is only read to be shown, swept or redriven: a part of the contract of both
// databases that no decision rests on.

import type { Store } from "./contract.ts";
import type { FleetReads } from "./fleet-reads.ts";
import type { PostReads } from "./post-rows.ts";
import type { ScheduleReads } from "./schedule-reads.ts";
import type { DeadLetterRow, MessageRow, ProcessKey, TenantKey } from "./rows.ts";

export interface DeadLetterQuery {
  readonly tenant?: TenantKey;
  /** The one that they were sent to. */
  readonly process?: ProcessKey;
  /** None that died before. */
  readonly sinceMs: number;
  /** Those that were buried before this one, by its key. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface TopicSum {
  readonly tenant: TenantKey;
  readonly topic: string;
  /** JSON text. */
  readonly schema: string | null;
  readonly subscribers: number;
  readonly durables: number;
  /** Messages by durable subscriptions that nobody has received yet. */
  readonly waiting: number;
}

/** Messages that wait: of a process, or of a tenant. */
export interface MailboxSum {
  readonly of: number;
  readonly depth: number;
  readonly oldestAt: number;
}

/** With the pid of the one that it was sent to. */
export type ListedLetter = DeadLetterRow & { readonly to: string | null };

interface MailReports {
  /** The newest first. */
  deadLetters(query: DeadLetterQuery): Promise<ListedLetter[]>;
  /** The key of a letter by the id of its message. */
  deadLetterKey(id: string): Promise<number | undefined>;
  deadLetter(id: string, tenant?: TenantKey): Promise<ListedLetter | undefined>;
  /** What is subscribed to or has a schema; of all tenants where none is named. */
  topics(tenant?: TenantKey): Promise<TopicSum[]>;
  /** How many wait in these mailboxes, and since when; of empty ones nothing. */
  mailboxes(keys: readonly ProcessKey[]): Promise<MailboxSum[]>;
  /** The same of each tenant. */
  mailOfTenants(): Promise<MailboxSum[]>;
  /** Those whose time is over, of a node's processes and of backlogs: the oldest first. */
  expiredMessages(node: string, nowMs: number, limit: number): Promise<MessageRow[]>;
  /** What ended processes have not received, but for durable subscriptions. */
  strandedMessages(limit: number): Promise<MessageRow[]>;
}

/** The store whole, as it is opened. */
export type OpenedStore = Store & MailReports & ScheduleReads & FleetReads & PostReads;
