// Handlers of operations about messages: dead letters and topics.

import type { CloudEvent, messageOperations } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import { omitUndefined } from "../../omit-undefined.ts";
import { cloudEventOf, INCOMING_LABEL } from "../cloud-events.ts";
import { labelOf } from "../read-spawn.ts";
import { untilClosing } from "../until-closing.ts";
import type { HandlersOf } from "./handler.ts";

export const messageHandlers: HandlersOf<typeof messageOperations> = {
  deadLetters: ({ kernel }, args) => kernel.deadLetters(omitUndefined(args)),
  redrive: ({ kernel }, { id, to }, { caller }) =>
    kernel.redrive(id, { by: caller.name, ...omitUndefined({ to }) }),
  topics: ({ kernel }, args) => kernel.topics(omitUndefined(args)),
  async publish({ kernel }, { topic, body, label, ...rest }) {
    const request = omitUndefined({ ...rest, label: labelOf(label) });
    return { topic, ...(await kernel.publish(topic, body, request)) };
  },
  async publishCloudEvent({ kernel }, event) {
    const { topic, data = null, type } = event;
    const label = labelOf(labelIn(event))!;
    return { topic, ...(await kernel.publish(topic, data, { label, type })) };
  },
  async sendCloudEvent({ kernel }, event) {
    const { pid, data = null, type } = event;
    return { id: await kernel.send(pid, data, { type, label: labelOf(labelIn(event))! }) };
  },
  async tailMessages({ kernel, closing }, { pid, topic }, { signal }) {
    if (pid !== undefined) await kernel.show(pid); // it is there: a failure after the first line has no status
    return untilClosing(tail(kernel, signal, { pid, topic }), closing, pid ?? "the messages");
  },
  async setTopicSchema({ kernel }, { topic, schema, tenant }, { caller }) {
    await kernel.setTopicSchema(topic, schema, { by: caller.name, ...omitUndefined({ tenant }) });
    return { topic };
  },
};

const labelIn = (event: { readonly [attribute: string]: unknown }): string => {
  const { aoslabel } = event;
  return typeof aoslabel === "string" ? aoslabel : INCOMING_LABEL;
};

async function* tail(
  kernel: Kernel,
  signal: AbortSignal,
  of: { readonly pid: string | undefined; readonly topic: string | undefined },
): AsyncGenerator<CloudEvent> {
  for await (const told of kernel.follow({ signal })) {
    if (of.pid !== undefined && told.pid !== of.pid) continue;
    const event = cloudEventOf(told);
    if (event !== undefined && (of.topic === undefined || event.aostopic === of.topic)) yield event;
    if (of.pid !== undefined && told.record.kind === "end") return;
  }
}
