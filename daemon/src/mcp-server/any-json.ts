// AnyJson: any JSON value, said in a way that every client can read: with the types that there are, where an
// empty schema would do.

import { z } from "zod";

const types = ["string", "number", "boolean", "null"].map((type) => ({ type }));

export const anyJson = z.unknown().meta({
  anyOf: [
    ...types,
    { type: "object", additionalProperties: true },
    { type: "array", items: { anyOf: [...types, { type: "object", additionalProperties: true }] } },
  ],
});
