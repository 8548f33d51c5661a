// Labels: integrity, secrecy and tags of a value or process.
//
// `mixed` is the integrity of untrusted data that passed a strict schema (endorsement). Tags are the marks of
// sequence rules; they join like the rest, so marks propagate.

export const integrities = ["trusted", "mixed", "untrusted"] as const;
export const secrecies = ["public", "internal", "confidential", "secret"] as const;

export type Integrity = (typeof integrities)[number];
export type Secrecy = (typeof secrecies)[number];

export interface Label {
  readonly integrity: Integrity;
  readonly secrecy: Secrecy;
  /** Sorted, each once; absent when there are none. */
  readonly tags?: readonly string[];
}

/** How people see integrity. */
export const colours = { trusted: "BLUE", mixed: "YELLOW", untrusted: "RED" } as const;
export type Colour = (typeof colours)[keyof typeof colours];

/** The label of a file, by the name that agents have for it; undefined where it has none. */
export interface FileLabels {
  of(path: string): Label | undefined;
}
