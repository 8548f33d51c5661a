// The members of an object that are there: a key with `undefined` is a key that nobody gave.

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function omitUndefined<T extends object>(object: T): Present<T> {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as Present<T>;
}
