// RememberedText: a reader whose last results are kept: a text that was read is not read again while it is the
// same text.
//
//   const readManifest = rememberText(parseManifest)
//   readManifest(text, "agent.yaml")
//
// REMEMBERED-TEXT-1  A result is a function of the text and of what it is called, and of nothing else.
// REMEMBERED-TEXT-2  What is kept is frozen, all the way down: whoever gets it cannot change it for the
//     next.
// REMEMBERED-TEXT-3  Little is kept: so many texts, none of them large. What a reader throws is not kept.

const MOST_TEXTS = 100;
const LONGEST_TEXT = 65_536;

export function rememberText<Result>(
  read: (text: string, name: string) => Result,
): (text: string, name: string) => Result {
  const known = new Map<string, Result>();
  return (text, name) => {
    const key = `${name}\0${text}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const result = deepFreeze(read(text, name));
    if (text.length > LONGEST_TEXT) return result;
    if (known.size >= MOST_TEXTS) known.delete(known.keys().next().value!); // the oldest
    known.set(key, result);
    return result;
  };
}

function deepFreeze<Value>(value: Value): Value {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
