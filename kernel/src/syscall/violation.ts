// Violation: thrown for what ends a process: a forged handle, a rule that says `kill`.

export class Violation extends Error {}
