// Removes the members of an object that are undefined.

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function omitUndefined<T extends object>(object: T): Present<T> {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as Present<T>;
}
