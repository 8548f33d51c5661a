// Document: the API as OpenAPI 3.1, made from the rows that the routes themselves are made from.
//
// DOCUMENT-1  Every route of the gateway is in it, and nothing else is.

import { responseJsonSchemas } from "./json-schemas.ts";
import { methods, type OpenapiDocument, type Paths } from "./document-words.ts";
import { otherPaths } from "./other-paths.ts";
import { rowPaths } from "./row-paths.ts";
import { sharedComponents } from "./shared-parts.ts";
import { tagsOf } from "./tags.ts";

const DESCRIPTION = `Everything that \`aos\` can do is a request below \`/api/v1\`.

A token says who calls: \`Authorization: Bearer aost_…\`, made by \`aos token create\`. On the daemon's Unix
socket none is needed. An unknown field is refused. A failure is \`application/problem+json\` with the kernel's
code, a message, and a hint where there is something to do. Times are ISO 8601 in UTC; durations end in \`Ms\`.`;

export function openapiDocument(version: string): OpenapiDocument {
  const answers = responseJsonSchemas();
  const paths = joined([rowPaths(answers), ...otherPaths]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Agent OS",
      version,
      summary: "Processes, memory, tools, messages, permissions and money of AI agents.",
      description: DESCRIPTION,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The daemon that this document is from." }],
    tags: tagsOf(new Set(operationsOf(paths).flatMap(({ operation }) => operation.tags))),
    paths,
    components: { schemas: answers.components, ...sharedComponents },
  };
}

/** What is at one address may come from several. */
const joined = (parts: readonly Paths[]): Paths => {
  const all: Record<string, Paths[string]> = {};
  for (const part of parts)
    for (const [address, here] of Object.entries(part)) all[address] = { ...all[address], ...here };
  return all;
};

export const operationsOf = (paths: Paths) =>
  Object.entries(paths).flatMap(([address, here]) =>
    methods.flatMap((method) => {
      const operation = here[method];
      return operation === undefined ? [] : [{ address, method, operation }];
    }),
  );
