// NamesIn: what `-o name` prints: the ids of a response, as the next command takes them.
//
//   namesIn([{ pid: "agt_1", … }])                          its id, its pid or its name
//   namesIn({ holdings: [{ handle: "cap_1" }] }, "holdings.handle")   at the path that the row gives

const USUAL = ["id", "pid", "name"];

/**
 * `path` goes through lists by itself. Without one, and where a value is not what it is for, each value
 * has its own under a usual name.
 */
export function namesIn(value: unknown, path?: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => namesIn(one, path));
  if (value === null || value === undefined) return [];
  if (typeof value === "string" || typeof value === "number")
    return path === undefined ? [String(value)] : [];
  if (typeof value !== "object") return [];
  const [named, ...more] = path?.split(".") ?? [];
  const isThere = named !== undefined && named in value;
  const key = isThere ? named : USUAL.find((usual) => usual in value);
  if (key === undefined) return [];
  const rest = isThere ? more : [];
  const below = rest.length === 0 ? undefined : rest.join(".");
  return namesIn((value as Record<string, unknown>)[key], below);
}
