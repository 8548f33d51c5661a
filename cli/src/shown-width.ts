// Shown width: the number of terminal columns of a text.
//
// SHOWN-WIDTH-1  A colour code has width 0; a wide character, such as a Chinese one or an emoji, has width 2.
// SHOWN-WIDTH-2  ASCII is counted here. The library for other text is loaded only when it is needed.

import type fastStringWidth from "fast-string-width";

type Count = typeof fastStringWidth;

/** Without the character that a colour code begins with. */
const ASCII = /^[\x20-\x7e]*$/;

let counts: Count | undefined;

export function shownWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  // By name: an `import` asks the module for all that it exports, and so loads threads and a parser.
  const plain = process.getBuiltinModule("node:util").stripVTControlCharacters(text);
  if (ASCII.test(plain)) return plain.length;
  counts ??= loadCount();
  return counts(plain);
}

/** SHOWN-WIDTH-2. A table is made at once, so that it cannot be waited for. */
function loadCount(): Count {
  const { createRequire } = process.getBuiltinModule("node:module");
  const found = createRequire(import.meta.url)("fast-string-width") as { readonly default: Count };
  return found.default;
}
