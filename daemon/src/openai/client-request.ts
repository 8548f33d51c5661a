// ClientRequest: what a client wants, read out of a request of either API.

import type { Budget, Label, Lane, Message } from "@aos/protocol";
import type { Turn } from "@aos/userland";
import type { ClientNote } from "./client-note.ts";

export interface ClientRequest {
  /** The agent's name. */
  readonly model: string;
  readonly stream: boolean;
  /** The conversation; calls have the ids that the client knows. */
  readonly messages: readonly Message[];
  readonly terms: Omit<Turn, "messages">;
  readonly door: ClientNote;
  readonly budget?: Budget;
  /** Where the conversation comes from, where the caller says so. */
  readonly label?: Label;
  readonly lane?: Lane;
}
