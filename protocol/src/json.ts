// Json: the only type of value that crosses a system call.
//
// Arguments and results are limited to JSON because the journal must return the same value later, also in another
// language.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** The text of a value with the keys of every object in order: equal values, equal text. */
export function canonicalText(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key] as Json)}`);
  return `{${members.join(",")}}`;
}
