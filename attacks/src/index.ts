// Public entry of the attacks package. Only `aos doctor --attack` loads it.

export { attackRange, attempt, runAttacks } from "./attack.ts";
export { attackGroups, attackRows, type AttackRow } from "./catalogue/index.ts";
export { Range, type RangeSource } from "./range.ts";
export type { Weakness } from "./weaknesses.ts";
