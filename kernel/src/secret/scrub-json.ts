// ScrubJson: every string of a JSON value through a scrubber, keys too. What needed no change is
// the same object as before.

import type { Json } from "@aos/protocol";

type ScrubText = (text: string) => string;

export function scrubJson(value: Json, scrub: ScrubText, numbersToo: boolean): Json {
  if (typeof value === "string") return scrub(value);
  if (typeof value === "number") return numbersToo ? scrubNumber(value, scrub) : value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => scrubJson(item, scrub, numbersToo));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const entries = Object.entries(value);
  const scrubbed = entries.map(([key, item]): [string, Json] => [
    scrub(key),
    scrubJson(item, scrub, numbersToo),
  ]);
  const isSame = scrubbed.every(([key, item], at) => {
    const [oldKey, oldItem] = entries[at]!;
    return key === oldKey && item === oldItem;
  });
  return isSame ? value : Object.fromEntries(withOwnKeys(scrubbed));
}

function scrubNumber(value: number, scrub: ScrubText): Json {
  const text = String(value);
  const scrubbed = scrub(text);
  return scrubbed === text ? value : scrubbed;
}

/** Two keys that were different stay two. */
function withOwnKeys(entries: readonly [string, Json][]): [string, Json][] {
  const taken = new Set<string>();
  return entries.map(([key, item]) => {
    let own = key;
    for (let copy = 2; taken.has(own); copy++) own = `${key} (${copy})`;
    taken.add(own);
    return [own, item];
  });
}
