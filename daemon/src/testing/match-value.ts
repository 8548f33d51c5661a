// Match value: whether a value matches an expected one.

import { canonicalText, type Json } from "@aos/protocol";

export const isSameValue = (one: Json, other: Json): boolean =>
  canonicalText(one) === canonicalText(other);

/** Whether all that is wanted is there: the members of an object that are named, and no others. */
export function includesValue(value: Json, wanted: Json): boolean {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted))
    return isSameValue(value, wanted);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(wanted).every(
    ([name, member]) =>
      Object.hasOwn(value, name) && includesValue(value[name] as Json, member as Json),
  );
}

const MOST_SHOWN = 300;

/** A value for people, cut where it is long. */
export function valueText(value: Json | undefined): string {
  const text = JSON.stringify(value ?? null);
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN).toWellFormed()}…`;
}
