// Recorded verdict: who approved a call, as the `verdict` of its record says it. Written and read here alone.

const APPROVED = "approved by ";

export const approvedBy = (who: string): string => `${APPROVED}${who}`;

/** Whether a person allowed it. What else a verdict says stands behind. */
export const isApproved = (verdict: string | undefined): boolean =>
  verdict?.startsWith(APPROVED) === true;
