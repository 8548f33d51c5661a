// Touch templates: what a call touches, written as data, with the call's arguments in it.
//
//   touches: [{ kind: "http", resource: "api.example.com/weather/{city}", verb: "get" }]
//
// TOUCH-TEMPLATE-1  A placeholder stands in the resource and nowhere else: the kind and the verb are the
//     tool's.
// TOUCH-TEMPLATE-2  An argument that is a list makes one touch of each of its parts.
// TOUCH-TEMPLATE-3  A touch whose argument was not given is not needed. A value that is no text and no
//     number is refused.

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
