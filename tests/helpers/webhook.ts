// Webhook: the headers of a delivery that is signed as Standard Webhooks are.

import { createHmac } from "node:crypto";

interface Delivery {
  readonly id: string;
  readonly key: string;
  readonly body: string;
  readonly ageS?: number;
}

export function signedHeaders({ id, key, body, ageS = 0 }: Delivery): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1000) - ageS);
  const mac = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": time,
    "webhook-signature": `v1,${mac}`,
  };
}
