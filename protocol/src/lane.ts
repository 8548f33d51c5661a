// Lanes: how urgent work is. A lane that is before another is served first where there is not room for
// both; what waits for a model is served by its deadline, and a lane gives those one who have none.

export const lanes = ["critical", "high", "normal", "low", "background"] as const;
export type Lane = (typeof lanes)[number];

export const isLane = (text: string): text is Lane => (lanes as readonly string[]).includes(text);

export const DEFAULT_LANE: Lane = "normal";

/** When what has no deadline of its own should be served, from when it began to wait. */
export const laneDeadlineMs: Readonly<Record<Lane, number>> = {
  critical: 5_000,
  high: 20_000,
  normal: 60_000,
  low: 300_000,
  background: 1_800_000,
};
