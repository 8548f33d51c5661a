// Recorded verdict: the approving person in the `verdict` of a record. Only this file writes and parses it.

const APPROVED = "approved by ";

export const approvedBy = (who: string): string => `${APPROVED}${who}`;

/** Whether a person allowed it. What else a verdict says stands behind. */
export const isApproved = (verdict: string | undefined): boolean =>
  verdict?.startsWith(APPROVED) === true;
