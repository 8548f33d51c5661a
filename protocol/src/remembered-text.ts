// RememberedText: caches the last results of a parser by their text.
//
//   const readManifest = rememberText(parseManifest)
//   readManifest(text, "agent.yaml")
//
// REMEMBERED-TEXT-1  A result depends only on the text and its name.
// REMEMBERED-TEXT-2  Cached results are deeply frozen.
// REMEMBERED-TEXT-3  The cache is bounded in number and size. Errors are not cached.

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
