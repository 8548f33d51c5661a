// Violation: thrown for what ends a process: a forged handle, a `kill` rule.

export class Violation extends Error {}
