// Pipeline order: how a statement of the pipeline knows that the one before it was made. The turn of the last that was made
// is a setting of the session. Each names the turn of the one before it and sets its own, in the same
// transaction: where it is refused, that is taken back, and what was sent behind it finds another turn than its own.

/** The setting. */
export const PIPELINE_TURN = "aos.turn";

/** A prepared statement whose last two parameters are the turn of the one before it and its own. */
export interface PipelinedStatement {
  readonly name: string;
  readonly text: string;
}

/** Whether the one before was made; `nth` is the parameter that has its turn. */
export const isInTurn = (nth: number): string =>
  `current_setting('${PIPELINE_TURN}', true) = $${nth}::text`;

/** To be selected as the one row that says that this one is made; `nth` is the parameter that has its turn. */
export const setTurn = (nth: number): string =>
  `set_config('${PIPELINE_TURN}', $${nth}::text, false)`;
