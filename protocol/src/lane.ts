// Lanes: the priorities of work. Where capacity is short, the earlier lane goes first. Model queues order by
// deadline; a request without one gets the deadline of its lane.

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
