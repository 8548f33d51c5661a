// The door of the attacks. The daemon loads it when `aos doctor --attack` is asked for; nothing else of the
// product does.

export { attackRange, attempt, runAttacks } from "./attack.ts";
export { attackGroups, attackRows, type AttackRow } from "./catalogue/index.ts";
export { Range, type RangeSource } from "./range.ts";
export type { Weakness } from "./weaknesses.ts";
