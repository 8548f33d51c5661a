// Name list: names as manifests and skills give them. `*` at the end of a name matches any rest.

export const isNamed = (name: string, names: readonly string[]): boolean =>
  names.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one));
