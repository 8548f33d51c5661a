// Claim: which processes a node takes over, and which of those must be loaded at once. The same words
// for both databases.
//
// A tree is taken whole, so that its budget and its limits are kept in one place.

/** Found by their states, which an index has. */
export const LIVING = "state in ('pending', 'running', 'waiting', 'paused')";

const living = (whose: string) => `
  select process.key from process join chain held on held.process = process.key
    where ${LIVING} and ended_at is null and (${whose})`;

const NOT_ALIVE = `not exists (select 1 from node where node.name = held.node and node.expires_at > ?)`;

/** The living whose node is not alive at `?1`. */
export const LEFT = living(NOT_ALIVE);

/** Those whose node is `?1`, which boots now, and those whose node is not alive at `?2`. */
export const LEFT_AT_BOOT = living(`held.node = ? or ${NOT_ALIVE}`);

/** `?1` is the node that takes them; what follows is for `whose`. */
export const claimStatement = (whose: string): string =>
  `update chain set node = ?, epoch = epoch + 1 where process in (${whose})`;

export const TAKE = claimStatement(LEFT);

/**
 * Of the processes that a node holds: those that run, and those whose wait is over. Those that have not
 * begun, or are paused, only where there is a signal for them. Those that are parked are tried again.
 */
export const TO_LOAD = heldAnd("state = 'running' or waiting_on is null or");

/** Of those: what something has come for, and whose node may not have been told. */
export const DUE = heldAnd("");

function heldAnd(orSo: string): string {
  return `
  select process.key as key from process join chain on chain.process = process.key
    where ended_at is null and node = ? and state in ('running', 'waiting') and (
      ${orSo}
      exists (select 1 from signal where signal.process = process.key)
      or (waiting_on = 'message' and exists (select 1 from message where message.process = process.key))
      or (waiting_on = 'message' and exists (
        select 1 from request join process asked on asked.key = request.target
          where request.process = process.key and asked.ended_at is not null))
      or (waiting_on = 'child' and exists (
        select 1 from process child where child.parent = process.key and child.ended_at is not null))
      or (waiting_on = 'approval' and exists (
        select 1 from question where question.process = process.key and answered_at is not null)))
  union
  select process.key from process join chain on chain.process = process.key
    where ended_at is null and node = ? and state in ('paused', 'pending') and (
      error is not null
      or exists (select 1 from signal where signal.process = process.key))`;
}
