// Touch templates: the touches of a call as data, with placeholders for arguments.
//
//   touches: [{ kind: "http", resource: "api.example.com/weather/{city}", verb: "get" }]
//
// TOUCH-TEMPLATE-1  A placeholder is allowed only in the resource; kind and verb are fixed.
// TOUCH-TEMPLATE-2  A list argument makes one touch for each item.
// TOUCH-TEMPLATE-3  A touch whose argument is absent is dropped. A value that is neither text nor number is refused.

import type { Json, Touch } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export const argumentsIn = (resource: string): string[] =>
  [...resource.matchAll(PLACEHOLDER)].map(([, name]) => name!);

export const fillTouches = (templates: readonly Touch[], args: Json): Touch[] =>
  templates.flatMap(({ kind, resource, verb }) =>
    filled(resource, args).map((text) => ({ kind, resource: text, verb })),
  );

/** Piece by piece, so that a value is never taken for a placeholder. */
function filled(resource: string, args: Json): string[] {
  // Every second piece is the name of an argument.
  const pieces = resource.split(PLACEHOLDER);
  return pieces.reduce<string[]>(
    (texts, piece, at) => {
      const values = at % 2 === 0 ? [piece] : partsOf(piece, args);
      return texts.flatMap((text) => values.map((value) => text + value));
    },
    [""],
  );
}

/** TOUCH-TEMPLATE-2, TOUCH-TEMPLATE-3. */
function partsOf(name: string, args: Json): string[] {
  const given = isObject(args) && Object.hasOwn(args, name) ? args[name] : undefined;
  if (given === undefined || given === null) return [];
  return [given].flat().map((part) => {
    if (typeof part === "string" || typeof part === "number") return String(part);
    throw new SysError(
      "EINVAL",
      `${name} names the touched resource: it must be a text or a number`,
    );
  });
}

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
