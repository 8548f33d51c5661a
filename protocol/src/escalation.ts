/** What makes an agent climb to the next model of its ladder. */
export const escalations = ["replan", "loop", "cutoff", "low_confidence"] as const;
export type Escalation = (typeof escalations)[number];
