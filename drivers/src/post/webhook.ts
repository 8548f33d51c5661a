// A notice as a webhook: JSON, signed as Standard Webhooks has it where a secret is configured. `webhook-id` is the
// same for every try, so that the receiver can leave out what it has.

import { createHmac } from "node:crypto";
import { type DeliveryResult, postJson, type PostOptions, resultOf } from "./http-post.ts";
import type { Notice } from "./notice.ts";

export interface WebhookTarget {
  readonly url: string;
  readonly key?: string;
}

export async function sendWebhook(
  notice: Notice,
  { url, key }: WebhookTarget,
  means: PostOptions,
): Promise<DeliveryResult> {
  const { id, event, ...data } = notice;
  const time = String(Math.floor(Date.now() / 1000));
  const body = JSON.stringify({ type: `aos.${event}`, id, timestamp: time, data });
  const signed =
    key === undefined ? {} : { "webhook-signature": `v1,${macOf(key, id, time, body)}` };
  const headers = { "webhook-id": id, "webhook-timestamp": time, ...signed };
  return resultOf(await postJson({ url, body, headers }, means), "the webhook");
}

/** https://www.standardwebhooks.com */
function macOf(secret: string, id: string, time: string, body: string): string {
  const prefix = "whsec_";
  const key = secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), "base64")
    : Buffer.from(secret);
  return createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
}
