// JsonSchemas: the zod schemas in the dialect of OpenAPI 3.1 (JSON Schema 2020-12).
//
// JSON-SCHEMAS-1  A named schema (protocol/src/operations) is a component, and all uses refer to it.

import { namedSchemas, operationNames, operationOf, type OperationName } from "@aos/protocol";
import { z } from "zod";
import { schemaRef, type JsonSchema } from "./document-words.ts";

/** What is asked for: as it is sent, before it is read. */
export const inputSchema = (schema: z.ZodType): JsonSchema =>
  plain(z.toJSONSchema(schema, { io: "input", unrepresentable: "any", override }));

export interface ResponseJsonSchemas {
  readonly components: Readonly<Record<string, JsonSchema>>;
  readonly of: (name: OperationName) => JsonSchema;
}

const responseOf = (name: OperationName) => operationOf(name).response;

export function responseJsonSchemas(): ResponseJsonSchemas {
  const all = z.registry<{ id: string }>();
  for (const [id, schema] of namedSchemas) all.add(schema, { id });
  for (const name of operationNames)
    if (!all.has(responseOf(name))) all.add(responseOf(name), { id: `${name} answer` });
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(all, { uri, unrepresentable: "any", override });
  const components = [...namedSchemas.keys()].map((id) => [id, plain(schemas[id]!)] as const);
  return {
    components: Object.fromEntries(components),
    of(name) {
      const { id } = all.get(responseOf(name))!;
      return namedSchemas.has(id) ? schemaRef(id) : plain(schemas[id]!);
    },
  };
}

/** Without what says nothing here: where it is, and which dialect it is in. */
function plain({ $schema: _dialect, $id: _place, ...rest }: z.core.JSONSchema.BaseSchema) {
  return rest as JsonSchema;
}

const LARGEST = Number.MAX_SAFE_INTEGER;

function override({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  // A number of JavaScript is no larger anyway.
  if (jsonSchema.maximum === LARGEST) delete jsonSchema.maximum;
  if (jsonSchema.minimum === -LARGEST) delete jsonSchema.minimum;
  // The format says it in a word.
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  // A record with all of its keys is an object.
  const { required, properties, additionalProperties: each } = jsonSchema;
  if (required !== undefined && properties === undefined && typeof each === "object") {
    jsonSchema.properties = Object.fromEntries(required.map((key) => [key, each]));
    jsonSchema.additionalProperties = false;
    delete jsonSchema.propertyNames;
  }
  // What is read from a query is text there, and means a yes or a no.
  if (zodSchema instanceof z.ZodPipe && zodSchema.out instanceof z.ZodBoolean)
    jsonSchema.type = "boolean";
}
