// ProtocolPaths: the endpoints of other protocols, OpenAI's and MCP's: their paths, roles and errors. The
// specifications of these protocols describe the bodies.

import type { Role } from "@aos/protocol";
import type { ResponseObject, OperationObject, Parameter, Paths } from "./document-words.ts";
import { EVENT_STREAM, openTo, usualProblems } from "./shared-parts.ts";
import { openapiTag } from "./tags.ts";

const text = { type: "string" };
const anObject = { type: "object", description: "As in the protocol." };

const openAiError = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        message: text,
        type: text,
        param: { type: ["string", "null"] },
        code: { $ref: "#/components/schemas/FailureCode" },
        hint: { type: ["string", "null"] },
      },
      required: ["message", "type", "param", "code", "hint"],
    },
  },
  required: ["error"],
};
const refusals: OperationObject["responses"] = Object.fromEntries(
  ["4XX", "5XX"].map((status) => [
    status,
    {
      description: "A failure, in the words of OpenAI's clients and with the kernel's code.",
      content: { "application/json": { schema: openAiError } },
    },
  ]),
);

const says = (description: string, streams = false): ResponseObject => ({
  description,
  content: {
    "application/json": { schema: anObject },
    ...(streams ? { [EVENT_STREAM]: { schema: text } } : {}),
  },
});
const body = { required: true, content: { "application/json": { schema: anObject } } };

const openAi = (
  path: string,
  row: {
    id: string;
    summary: string;
    role: Role;
    answer: ResponseObject;
    parameters?: readonly Parameter[];
    isAsked?: true;
  },
): OperationObject => ({
  operationId: row.id,
  summary: row.summary,
  description: row.role === "viewer" ? "For a viewer and above." : "For an operator.",
  tags: [openapiTag(path)],
  security: openTo(row.role),
  ...(row.parameters === undefined ? {} : { parameters: row.parameters }),
  ...(row.isAsked === undefined ? {} : { requestBody: body }),
  responses: { "200": row.answer, ...refusals },
});

const inPath = (name: string): readonly Parameter[] => [
  { name, in: "path", required: true, schema: text },
];

const openAiPaths: Paths = {
  "/v1/models": {
    get: openAi("/v1/models", {
      id: "openaiModels",
      summary: "The agents, as models of OpenAI's API.",
      role: "viewer",
      answer: says("A list of models."),
    }),
  },
  "/v1/models/{model}": {
    get: openAi("/v1/models", {
      id: "openaiModel",
      summary: "One agent, as a model.",
      role: "viewer",
      parameters: inPath("model"),
      answer: says("A model."),
    }),
  },
  "/v1/chat/completions": {
    post: openAi("/v1/chat/completions", {
      id: "openaiChat",
      summary: "Ask an agent, by OpenAI's chat completions.",
      role: "operator",
      isAsked: true,
      answer: says("A chat completion; with `stream` its chunks.", true),
    }),
  },
  "/v1/responses": {
    post: openAi("/v1/responses", {
      id: "openaiRespond",
      summary: "Ask an agent, by OpenAI's responses.",
      role: "operator",
      isAsked: true,
      answer: says("A response; with `stream` its events.", true),
    }),
  },
  "/v1/responses/{id}": {
    get: openAi("/v1/responses", {
      id: "openaiResponse",
      summary: "A response as it is now.",
      role: "viewer",
      parameters: inPath("id"),
      answer: says("The response."),
    }),
  },
  "/v1/responses/{id}/cancel": {
    post: openAi("/v1/responses", {
      id: "openaiCancel",
      summary: "End the run of a response.",
      role: "operator",
      parameters: inPath("id"),
      answer: says("The response."),
    }),
  },
};

const mcp = (id: string, summary: string, more: Partial<OperationObject>): OperationObject => ({
  operationId: id,
  summary,
  description: "For a viewer and above; what a tool does takes the role that its operation takes.",
  tags: [openapiTag("/mcp")],
  security: openTo("viewer"),
  ...more,
  responses: { ...more.responses, ...mcpProblems },
});

/** The gateway's own, or JSON-RPC's. */
const mcpProblems: OperationObject["responses"] = {
  ...usualProblems,
  ...Object.fromEntries(
    ["400", "4XX", "5XX"].map((status) => [
      status,
      {
        description: "A failure of the gateway, or an error of JSON-RPC.",
        content: {
          "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
          "application/json": { schema: anObject },
        },
      },
    ]),
  ),
};

const mcpPaths: Paths = {
  "/mcp": {
    post: mcp("mcpSend", "A message of MCP: streamable HTTP.", {
      requestBody: body,
      responses: {
        "200": says("The answer of JSON-RPC, or a stream that ends with it.", true),
        "202": { description: "A notification was taken." },
      },
    }),
    get: mcp("mcpListen", "What the server has to say by itself.", {
      responses: {
        "200": { description: "Messages of MCP.", content: { [EVENT_STREAM]: { schema: text } } },
      },
    }),
    delete: mcp("mcpEnd", "End a session.", {
      responses: { "200": { description: "It has ended." } },
    }),
  },
};

export const protocolPaths: Paths = { ...openAiPaths, ...mcpPaths };
