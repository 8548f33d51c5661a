// Shared parts of the document: problems, headers, and the roles of callers.

import { roles, type Role } from "@aos/protocol";
import type {
  OpenapiDocument,
  OperationObject,
  ResponseObject,
  JsonSchema,
} from "./document-words.ts";
import { ref, schemaRef } from "./document-words.ts";
import { SESSION_COOKIE } from "../identify.ts";

const text: JsonSchema = { type: "string" };

export const NDJSON = "application/x-ndjson";
export const EVENT_STREAM = "text/event-stream";

/** What is sent one after the other: the type is text, and what each piece is stands beside it. */
export const pieces = (type: string, each: JsonSchema, how: string): JsonSchema => ({
  ...text,
  description: how,
  contentMediaType: type,
  contentSchema: each,
});

const problem = (description: string, more: Partial<ResponseObject> = {}): ResponseObject => ({
  description,
  ...more,
  content: { "application/problem+json": { schema: schemaRef("Problem") } },
});

const headers: OpenapiDocument["components"]["headers"] = {
  ETag: { description: "The tag of this answer, for `If-None-Match`.", schema: text },
  Link: { description: 'Where a list that was cut goes on: `<…>; rel="next"`.', schema: text },
  RetryAfter: { description: "Seconds.", schema: { type: "integer", minimum: 0 } },
  WwwAuthenticate: { description: "That a token is needed.", schema: text },
  IdempotencyReplayed: {
    description: "This was done before, and is answered as it was then.",
    schema: { const: "true" },
  },
};

const responses: OpenapiDocument["components"]["responses"] = {
  BadRequest: problem("A field is unknown, missing, or not what it has to be."),
  Unauthorized: problem("It is not known who calls: a token is needed, or it is one no longer.", {
    headers: { "WWW-Authenticate": ref("headers", "WwwAuthenticate") },
  }),
  Forbidden: problem("The caller may not: its role or its tenant does not allow it, or a rule."),
  NotFound: problem("There is no such thing, or it is another tenant's."),
  Conflict: problem("The state does not allow it, or the same request is still running."),
  KeyUsed: problem("The Idempotency-Key was used for another request."),
  TooMany: problem("A limit is reached.", {
    headers: { "Retry-After": ref("headers", "RetryAfter") },
  }),
  Refused: problem("Another failure; `code` says which."),
  Failed: problem("It failed here, or where it was passed on to."),
  NotModified: {
    description: "What the caller has is what there is.",
    headers: { ETag: ref("headers", "ETag") },
  },
};

const parameters: OpenapiDocument["components"]["parameters"] = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "With the same key the same request is done once, for a day.",
    schema: { ...text, minLength: 1, maxLength: 200 },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "The tag of the answer that the caller has.",
    schema: text,
  },
};

const securitySchemes = {
  token: {
    type: "http",
    scheme: "bearer",
    description: `A token of \`aos token create --role ${roles.join("|")}\`.`,
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: `${SESSION_COOKIE}_PORT`,
    description:
      "The page's session, at the origin that it was opened at. With TLS the name begins with `__Host-`.",
  },
};

export const sharedComponents = { headers, responses, parameters, securitySchemes };

/** Either will do. The names are those of the least role that may. */
export const openTo = (role: Role): OperationObject["security"] => [
  { token: [role] },
  { session: [role] },
];
export const openToAll: OperationObject["security"] = [];

/** Whoever calls over the network may be told these by any operation. */
export const usualProblems: OperationObject["responses"] = {
  "400": ref("responses", "BadRequest"),
  "401": ref("responses", "Unauthorized"),
  "403": ref("responses", "Forbidden"),
  "429": ref("responses", "TooMany"),
  "4XX": ref("responses", "Refused"),
  "5XX": ref("responses", "Failed"),
};
export const notFound: OperationObject["responses"] = { "404": ref("responses", "NotFound") };
