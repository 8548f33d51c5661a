// OtherPaths: the paths of the document that come from no row. A route without a row (app.ts) must be described here; a
// test finds a missing one.

import { API_ROOT, operations } from "@aos/protocol";
import { login } from "../session-routes.ts";
import {
  ref,
  schemaRef,
  type ResponseObject,
  type OperationObject,
  type Paths,
} from "./document-words.ts";
import { hookPaths } from "./hook-paths.ts";
import { inputSchema } from "./json-schemas.ts";
import { protocolPaths } from "./protocol-paths.ts";
import {
  EVENT_STREAM,
  notFound,
  openTo,
  openToAll,
  pieces,
  usualProblems,
} from "./shared-parts.ts";
import { openapiTag } from "./tags.ts";

const object = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const text = { type: "string" };

const says = (description: string, schema: object, type = "application/json"): ResponseObject => ({
  description,
  content: { [type]: { schema: { ...schema } } },
});

/** What anybody may ask is still refused to one with a bad token, or who asks too often. */
const strangersProblems: OperationObject["responses"] = {
  "401": ref("responses", "Unauthorized"),
  "429": ref("responses", "TooMany"),
  "4XX": ref("responses", "Refused"),
  "5XX": ref("responses", "Failed"),
};

const health: Paths = {
  "/healthz": {
    get: {
      operationId: "healthz",
      summary: "Whether the daemon lives.",
      tags: [openapiTag("/healthz")],
      security: openToAll,
      responses: {
        "200": says("It does.", object({ status: { const: "ok" } })),
        ...strangersProblems,
      },
    },
  },
  "/readyz": {
    get: {
      operationId: "readyz",
      summary: "Whether it can be given work.",
      tags: [openapiTag("/readyz")],
      security: openToAll,
      responses: {
        "200": says("It can.", object({ status: { const: "ready" } })),
        "503": says(
          "It is stopping, or its store cannot be used.",
          object({ status: { const: "not ready" }, why: text }),
        ),
        ...strangersProblems,
      },
    },
  },
  "/metrics": {
    get: {
      operationId: "metrics",
      summary: "Numbers for Prometheus.",
      description: "For a viewer and above of all tenants.",
      tags: [openapiTag("/metrics")],
      security: openTo("viewer"),
      responses: {
        "200": says("The exposition format of Prometheus.", text, "text/plain"),
        ...usualProblems,
      },
    },
  },
};

const session: Paths = {
  [`${API_ROOT}/session`]: {
    post: {
      operationId: "openSession",
      summary: "Log in: a session for the page.",
      description: "With a token, or with a key of `POST /api/v1/session/key`.",
      tags: [openapiTag("/session")],
      security: openToAll,
      requestBody: {
        required: true,
        content: { "application/json": { schema: inputSchema(login) } },
      },
      responses: {
        "200": {
          ...says("Who the caller is from now on.", schemaRef("CallerReport")),
          headers: { "Set-Cookie": { description: "The session.", schema: text } },
        },
        "400": ref("responses", "BadRequest"),
        ...strangersProblems,
      },
    },
    delete: {
      operationId: "closeSession",
      summary: "Log out.",
      tags: [openapiTag("/session")],
      security: openToAll,
      responses: {
        "200": says("Whether there was one.", object({ ended: { type: "boolean" } })),
        ...strangersProblems,
      },
    },
  },
};

const eventStream = (how: string): ResponseObject => ({
  description: how,
  content: {
    [EVENT_STREAM]: {
      schema: pieces(
        EVENT_STREAM,
        schemaRef("FeedEvent"),
        "The `data` of an event is one of these, and its `id` is `PID:SEQ`. An event `reset` says that the " +
          "record to go on from is not kept any more.",
      ),
    },
  },
});

const cursor = {
  name: "Last-Event-ID",
  in: "header",
  description: "Go on after this event.",
  schema: text,
} as const;
const after = {
  name: "after",
  in: "query",
  description: "The same, where headers cannot be set.",
  schema: text,
} as const;
const only = (name: string, description: string) =>
  ({ name, in: "query", description, schema: text }) as const;

const events: Paths = {
  [`${API_ROOT}/events`]: {
    get: {
      operationId: "events",
      summary: "Every record that the caller may see, as it becomes durable.",
      description: "For a viewer and above.",
      tags: [openapiTag("/events")],
      security: openTo("viewer"),
      parameters: [
        only("pid", "Only this process."),
        only("tree", "Only the tree that begins with this process."),
        after,
        cursor,
      ],
      responses: {
        "200": eventStream("Server-sent events, until either side hangs up."),
        ...notFound,
        ...usualProblems,
      },
    },
  },
  [`${API_ROOT}/processes/{pid}/events`]: {
    get: {
      operationId: "eventsOfProcess",
      summary: "The records of one process, from its first to its end.",
      description: "For a viewer and above.",
      tags: [openapiTag("/processes/:pid/events")],
      security: openTo("viewer"),
      parameters: [
        {
          name: "pid",
          in: "path",
          required: true,
          schema: inputSchema(operations.show.params.shape["pid"]!),
        },
        after,
        cursor,
      ],
      responses: {
        "200": eventStream("Server-sent events, to the end of the process."),
        "204": { description: "It has ended, and its end was already sent." },
        ...notFound,
        ...usualProblems,
      },
    },
  },
};

const documentation: Paths = {
  "/openapi.json": {
    get: {
      operationId: "openapi",
      summary: "This document.",
      tags: [openapiTag("/openapi.json")],
      security: openToAll,
      responses: {
        "200": says("OpenAPI 3.1.", { type: "object" }),
        "304": ref("responses", "NotModified"),
        ...strangersProblems,
      },
    },
  },
  "/docs/reference/http": {
    get: {
      operationId: "docs",
      summary: "This document, for reading.",
      tags: [openapiTag("/docs")],
      security: openToAll,
      responses: { "200": says("A page.", text, "text/html"), ...strangersProblems },
    },
  },
};

export const otherPaths: readonly Paths[] = [
  health,
  session,
  events,
  documentation,
  hookPaths,
  protocolPaths,
];
