// RowPaths: the part of the document that follows from the rows of protocol/src/operations.

import {
  API_ROOT,
  operationNames,
  operationOf as rowOf,
  type Operation,
  type OperationName,
} from "@aos/protocol";
import type { z } from "zod";
import { mayBeCut } from "../response-headers.ts";
import { isRepeatable } from "../respond.ts";
import {
  ref,
  type ResponseObject,
  type JsonSchema,
  type Method,
  type OperationObject,
  type Parameter,
  type Paths,
} from "./document-words.ts";
import { inputSchema, type ResponseJsonSchemas } from "./json-schemas.ts";
import { examples } from "./examples.ts";
import { NDJSON, notFound, openTo, pieces, usualProblems } from "./shared-parts.ts";
import { openapiTag } from "./tags.ts";

export function rowPaths(answers: ResponseJsonSchemas): Paths {
  const paths: Record<string, Partial<Record<Method, OperationObject>>> = {};
  for (const name of operationNames) {
    const { method, path } = rowOf(name);
    const address = API_ROOT + path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[address] ??= {})[method.toLowerCase() as Method] = operationOf(name, answers.of(name));
  }
  return paths;
}

function operationOf(name: OperationName, answer: JsonSchema): OperationObject {
  const { method, path, summary, role, reach, params, query, body } = rowOf(name);
  return {
    operationId: name,
    summary,
    description: whoMay(role, reach),
    tags: [openapiTag(path)],
    security: openTo(role),
    parameters: [
      ...parametersOf(params, "path"),
      ...parametersOf(query, "query"),
      ...(isRepeatable(name) ? [ref("parameters", "IdempotencyKey")] : []),
      ...(isTagged(name) ? [ref("parameters", "IfNoneMatch")] : []),
    ],
    ...(method === "POST" ? { requestBody: bodyOf(name, body) } : {}),
    responses: {
      "200": answerOf(name, answer),
      ...(isTagged(name) ? { "304": ref("responses", "NotModified") } : {}),
      ...(path.includes(":") ? notFound : {}),
      ...(isRepeatable(name)
        ? { "409": ref("responses", "Conflict"), "422": ref("responses", "KeyUsed") }
        : {}),
      ...usualProblems,
      ...MORE[name],
    },
  };
}

type RequestBody = NonNullable<OperationObject["requestBody"]>;

/** What a row does not say. */
const MORE: Partial<Record<OperationName, OperationObject["responses"]>> = {
  attach: {
    "101": {
      description:
        "With `Upgrade: websocket`: the same as frames of JSON text, and messages and signals go up.",
    },
  },
};

const whoMay = (role: string, reach: Operation["reach"]): string =>
  `For ${role === "operator" ? "an operator" : `a${role === "approver" ? "n" : ""} ${role} and above`}` +
  (reach === "tenant" ? "." : " of all tenants.");

const isTagged = (name: OperationName): boolean =>
  rowOf(name).method === "GET" && !rowOf(name).streams;

function parametersOf(schema: z.ZodObject, place: "path" | "query"): Parameter[] {
  const { properties = {}, required = [] } = inputSchema(schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(typeof description === "string" ? { description } : {}),
    schema: rest,
  }));
}

function bodyOf(name: OperationName, schema: z.ZodObject): RequestBody {
  const body = inputSchema(schema);
  const { required = [] } = body as { required?: string[] };
  const example = examples[name]?.body;
  const media = { schema: body, ...(example === undefined ? {} : { example }) };
  return { required: required.length > 0, content: { "application/json": media } };
}

function answerOf(name: OperationName, schema: JsonSchema): ResponseObject {
  const description = "The answer.";
  if (rowOf(name).streams) {
    const how = 'One JSON value a line; a last line `{"error": …}` is a failure.';
    return { description, content: { [NDJSON]: { schema: pieces(NDJSON, schema, how) } } };
  }
  const example = examples[name]?.answer;
  const media = { schema, ...(example === undefined ? {} : { example }) };
  const told =
    'Lines `{"progress": {done, total, detail}}`; the last is `{"result": …}` or `{"error": …}`.';
  return {
    description,
    headers: {
      ...(isTagged(name) ? { ETag: ref("headers", "ETag") } : {}),
      ...(mayBeCut(name) ? { Link: ref("headers", "Link") } : {}),
      ...(isRepeatable(name)
        ? { "Idempotency-Replayed": ref("headers", "IdempotencyReplayed") }
        : {}),
    },
    content: {
      "application/json": media,
      ...(rowOf(name).reportsProgress
        ? { [NDJSON]: { schema: pieces(NDJSON, PROGRESS, told) } }
        : {}),
    },
  };
}

const PROGRESS: JsonSchema = { type: "object" };
