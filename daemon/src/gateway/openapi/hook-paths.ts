// HookPaths: the webhooks of schedules, in the document. daemon/src/starts answers them.

import {
  ref,
  type JsonSchema,
  type OperationObject,
  type Parameter,
  type Paths,
} from "./document-words.ts";
import { openToAll } from "./shared-parts.ts";
import { openapiTag } from "./tags.ts";

const text: JsonSchema = { type: "string" };

const named = (name: string, description: string): Parameter => ({
  name,
  in: "path",
  required: true,
  description,
  schema: text,
});

const header = (name: string, description: string): Parameter => ({
  name,
  in: "header",
  description,
  schema: text,
});

const signature: readonly Parameter[] = [
  header("webhook-id", "Of Standard Webhooks: names the delivery."),
  header("webhook-timestamp", "Of Standard Webhooks: seconds since 1970."),
  header("webhook-signature", "Of Standard Webhooks: `v1,` and the HMAC in base64."),
  header("X-Hub-Signature-256", "Of GitHub: `sha256=` and the HMAC of the body in hex."),
];

const fired: JsonSchema = {
  type: "object",
  properties: {
    schedule: text,
    id: { ...text, description: "The id of the delivery." },
    outcome: text,
    pid: { type: ["string", "null"] },
    reason: { type: ["string", "null"] },
  },
  required: ["schedule", "id", "outcome", "pid", "reason"],
  additionalProperties: false,
};

const hook = (operationId: string, names: readonly Parameter[]): OperationObject => ({
  operationId,
  summary: "Start a run of a schedule by a signed webhook.",
  description:
    "Without a token: the signature is checked with the secret of the schedule. The same delivery starts nothing twice.",
  tags: [openapiTag("/schedules")],
  security: openToAll,
  parameters: [...names, ...signature],
  requestBody: { required: true, content: { "*/*": { schema: {} } } },
  responses: {
    "202": {
      description: "The run is started, or it is recorded why not.",
      content: { "application/json": { schema: fired } },
    },
    "401": ref("responses", "Unauthorized"),
    "413": ref("responses", "Refused"),
    "429": ref("responses", "TooMany"),
    "4XX": ref("responses", "Refused"),
    "5XX": ref("responses", "Failed"),
  },
});

const schedule = named("name", "The schedule.");
const tenant = named("tenant", "The tenant of the schedule.");

export const hookPaths: Paths = {
  "/hooks/{name}": { post: hook("webhook", [schedule]) },
  "/hooks/{tenant}/{name}": { post: hook("webhookOfTenant", [tenant, schedule]) },
};
