// Labels: where something came from and how secret it is.

export const integrities = ["trusted", "untrusted"] as const;
export const secrecies = ["public", "internal", "confidential", "secret"] as const;

export interface Label {
  readonly integrity: (typeof integrities)[number];
  readonly secrecy: (typeof secrecies)[number];
}
