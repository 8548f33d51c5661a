// The kernel's methods about mail: what a process is sent and asked, and what it did not take.

import type { DeadLetter, InvokeReport, Json, Label, Urgency } from "@aos/protocol";
import type { DeadLetterFilter, InvokeRequest, RedriveRequest } from "../api.ts";
import { CLEAN } from "../label/label.ts";
import { Invocations } from "./invoke.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import { deadLettersOf, mustFitMailbox, redriveLetter } from "./mail.ts";
import type { OpenKernel } from "./open-kernel.ts";

export interface MailMethods {
  send(
    pid: string,
    body: Json,
    options?: Urgency & { type?: string; label?: Label },
  ): Promise<string>;
  /** Asks a living agent, and waits for its answer. The same key has the same answer. */
  invoke(pid: string, request?: InvokeRequest): Promise<InvokeReport>;
  /** Undeliverable messages, newest first. */
  deadLetters(query?: DeadLetterFilter): Promise<DeadLetter[]>;
  /** Puts a dead letter back into a mailbox. */
  redrive(id: string, request: RedriveRequest): Promise<{ id: string; to: string }>;
}

export const mailReach = {
  send: "process",
  invoke: "process",
  deadLetters: { scope: 0, processes: ["pid"] },
  redrive: { scope: 1, processes: ["to"] },
} as const satisfies Record<keyof MailMethods, MethodReach>;

export function mailMethods(parts: KernelParts, open: OpenKernel): MailMethods {
  const invocations = new Invocations(parts);
  return {
    async send(pid, body, { type = "event", label = CLEAN, ...urgency } = {}) {
      open.mustBeOpen();
      const { router, table } = parts;
      const row = table.byPid(pid)?.row ?? (await open.findLiving(pid));
      await mustFitMailbox(parts.manifests, row, body);
      return router.sendFromOperator(row, body, { type, label, ...urgency });
    },
    async invoke(pid, request = {}) {
      const signals = [request.signal, open.stopping];
      return invocations.invoke(await open.find(pid), request, signals);
    },
    deadLetters: async (filter = {}) => deadLettersOf(parts, filter),
    async redrive(id, request) {
      open.mustBeOpen();
      return redriveLetter(parts, id, request);
    },
  };
}
