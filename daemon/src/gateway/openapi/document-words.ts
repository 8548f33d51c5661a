// The types of an OpenAPI 3.1 document, as far as they are used here.

export type JsonSchema = { readonly [keyword: string]: unknown };

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface Reference {
  readonly $ref: string;
}

export interface Media {
  readonly schema?: JsonSchema;
  readonly example?: unknown;
}

export interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export const methods = ["get", "post", "delete"] as const;
export type Method = (typeof methods)[number];

export type Paths = Readonly<Record<string, Partial<Record<Method, OperationObject>>>>;

export interface OpenapiDocument {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export const ref = (
  kind: "schemas" | "responses" | "headers" | "parameters",
  name: string,
): Reference => ({ $ref: `#/components/${kind}/${name}` });

export const schemaRef = (name: string): JsonSchema => ({ ...ref("schemas", name) });
