// Roles of callers. The row of an operation has the lowest role that may call it.

/** From the least to the most. */
export const roles = ["viewer", "approver", "operator"] as const;
export type Role = (typeof roles)[number];

export const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text);

export const hasRole = (role: Role, least: Role): boolean =>
  roles.indexOf(role) >= roles.indexOf(least);
