// The kernel's methods about topics: what an operator lists, publishes and sets a schema for.

import { schemaFlaw, SysError, type Json, type TopicReport } from "@aos/protocol";
import type { PublishRequest } from "../api.ts";
import { mustFitTopic, reachable } from "../handlers/topics.ts";
import { CLEAN } from "../label/label.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";
import { processForQuestions } from "../inspection/inspected-process.ts";

export interface TopicMethods {
  /** What is subscribed to, or has a schema. */
  topics(filter?: { tenant?: string }): Promise<TopicReport[]>;
  /** Events of the topic have to fit it from now on; null removes it. */
  setTopicSchema(
    topic: string,
    schema: Json,
    options: { tenant?: string; by: string },
  ): Promise<void>;
  publish(topic: string, body: Json, request?: PublishRequest): Promise<{ reached: number }>;
}

export const topicReach = {
  topics: { scope: 0 },
  setTopicSchema: { scope: 2 },
  publish: { scope: 2 },
} as const satisfies Record<keyof TopicMethods, MethodReach>;

export function topicMethods(parts: KernelParts, open: OpenKernel): TopicMethods {
  return {
    async topics({ tenant } = {}) {
      const { store, journal } = parts;
      await journal.durable();
      const of = tenant === undefined ? undefined : ((await store.findTenant(tenant)) ?? -1);
      const rows = await store.topics(of);
      const names = new Map<number, string>();
      for (const { tenant: key } of rows)
        if (!names.has(key)) names.set(key, await store.tenantName(key));
      return rows.map(({ tenant: key, schema, ...row }) => ({
        ...row,
        tenant: names.get(key)!,
        schema: schema === null ? null : (JSON.parse(schema) as Json),
      }));
    },
    async setTopicSchema(topic, schema, { tenant, by }) {
      open.mustBeOpen();
      const flaw = schema === null ? undefined : schemaFlaw(schema);
      if (flaw !== undefined) throw new SysError("EINVAL", flaw);
      const { tenants, ledger, journal } = parts;
      const owner = await tenants.keyOf(tenant ?? "default");
      const detail = { topic, schema };
      ledger.add({ what: "topic.schema", by, detail, tenant: owner });
      const text = schema === null ? null : JSON.stringify(schema);
      journal.write({ op: "topic.put", tenant: owner, topic, schema: text });
      await journal.durable();
    },
    publish: (topic, body, request) => publishFromOperator(parts, open, topic, body, request),
  };
}

async function publishFromOperator(
  parts: KernelParts,
  open: OpenKernel,
  topic: string,
  body: Json,
  { tenant, label = CLEAN, type = "event", ...urgency }: PublishRequest = {},
): Promise<{ reached: number }> {
  open.mustBeOpen();
  const { store, journal, tenants, router } = parts;
  const owner = await tenants.keyOf(tenant ?? "default");
  await journal.durable();
  const { schema, subscribers } = await store.subscribers(owner, topic);
  mustFitTopic(schema, topic, body);
  const maySubscribe = async (key: number, name: string): Promise<boolean> => {
    const row = await store.processByKey(key);
    if (row === undefined) return false;
    const asked = await processForQuestions(parts, row);
    const said = await parts.wouldBe(asked, "subscribe", { topic: name });
    return (said as { allow?: Json }).allow === true;
  };
  const wanted = await reachable({ maySubscribe }, subscribers, topic);
  // Either every mailbox has room, or no process receives it.
  const keys = wanted.map(({ process, durable, isLiving }) =>
    durable === null || isLiving ? process : -durable,
  );
  const places = await Promise.all(keys.map((key) => router.takePlace(key)));
  await Promise.all(
    wanted.map(async ({ durable }, nth) => {
      const by = durable === null ? {} : { durable };
      const more = { type, label, topic, place: places[nth]!, ...urgency, ...by };
      await router.sendFromOperator({ key: keys[nth]!, tenant: owner }, body, more);
    }),
  );
  return { reached: wanted.length };
}
