// YamlLayers: several YAML files read as one. A later file wins over an earlier one.
//
// YAML-LAYERS-1  Maps are merged key by key at every depth; a list or a value replaces the earlier one whole.
// YAML-LAYERS-2  A field is where it was written last, and a complaint about it names that file and line.

import type { FieldPath } from "./format-issue.ts";
import { parseYaml, type LocatedValue } from "./yaml-file.ts";

export interface YamlText {
  readonly text: string;
  readonly file: string;
}

export function parseLayers(layers: readonly YamlText[]): LocatedValue {
  const parsed = layers.map(({ text, file }) => ({ file, ...parseYaml(text, file) }));
  return {
    written: parsed.map(({ written }) => written).reduce(merge, null),
    whereOf(path) {
      for (let length = path.length; length > 0; length--) {
        const known = path.slice(0, length);
        const layer = parsed.findLast(({ written }) => hasField(written, known));
        if (layer !== undefined) return { file: layer.file, line: layer.lineOf(path) };
      }
      const last = parsed.at(-1)!;
      return { file: last.file, line: last.lineOf(path) };
    },
  };
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** YAML-LAYERS-1. A file with nothing in it says nothing. */
function merge(below: unknown, above: unknown): unknown {
  if (above === null || above === undefined) return below;
  if (!isMap(below) || !isMap(above)) return above;
  const merged = new Map(Object.entries(below));
  for (const [key, value] of Object.entries(above))
    merged.set(key, value !== null && merged.has(key) ? merge(merged.get(key), value) : value);
  return Object.fromEntries(merged);
}

function hasField(value: unknown, path: FieldPath): boolean {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string | number, unknown>)[step];
  }
  return true;
}
