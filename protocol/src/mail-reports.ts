// What is told about messages that nobody will take.

import type { Json } from "./json.ts";

export interface DeadLetter {
  readonly id: string;
  /** The process that it was sent to. */
  readonly to: string;
  readonly from: string;
  readonly type: string;
  readonly replyTo: string | null;
  /** A long one is cut, and a text then. */
  readonly body: Json;
  readonly label: string;
  readonly sentAt: string;
  readonly diedAt: string;
  readonly reason: string;
}

export interface DeadLetterFilter {
  /** The process that they were sent to. */
  readonly pid?: string;
  readonly tenant?: string;
  /** Those that were buried before this one, by its id. */
  readonly before?: string;
  /** 100 unless said. */
  readonly limit?: number;
}

export interface MailReader {
  /** Messages that nobody will take, the newest first. */
  deadLetters(query?: DeadLetterFilter): Promise<DeadLetter[]>;
}
