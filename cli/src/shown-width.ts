// Shown width: how many columns of a terminal a text takes.
//
// SHOWN-WIDTH-1  A colour takes none; a wide character, such as a Chinese one or an emoji, takes two.
// SHOWN-WIDTH-2  Text of ASCII is counted here. What can count the rest is loaded when there is some, and
//     not before: most commands never need it.

import { stripVTControlCharacters } from "node:util";
import type fastStringWidth from "fast-string-width";

type Count = typeof fastStringWidth;

let counts: Count | undefined;

export function shownWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  counts ??= loadCount();
  return counts(plain);
}

/** SHOWN-WIDTH-2. A table is made at once, so that it cannot be waited for. */
function loadCount(): Count {
  const { createRequire } = process.getBuiltinModule("node:module");
  const found = createRequire(import.meta.url)("fast-string-width") as { readonly default: Count };
  return found.default;
}
