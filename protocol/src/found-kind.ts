// Found kind: what a search of memory found.

export const foundKinds = ["fact", "episode", "document", "dialogue", "code"] as const;
export type FoundKind = (typeof foundKinds)[number];
