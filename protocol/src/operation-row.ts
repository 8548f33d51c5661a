// A row of the operations: what may be given to a route, and the type of what it answers.

import { z } from "zod";

export interface Operation<Args = unknown, Answer = unknown> {
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodObject;
  /** Types only; never there. */
  readonly types?: { readonly args: Args; readonly answer: Answer };
}

const nothing = z.strictObject({});

type Given = z.ZodObject | undefined;
type Fields<Schema extends Given> = Schema extends z.ZodObject ? z.output<Schema> : unknown;

export const takes = <
  Params extends Given = undefined,
  Query extends Given = undefined,
  Body extends Given = undefined,
>(
  given: { params?: Params; query?: Query; body?: Body } = {},
) => ({
  answers: <Answer>(): Operation<Fields<Params> & Fields<Query> & Fields<Body>, Answer> => ({
    params: given.params ?? nothing,
    query: given.query ?? nothing,
    body: given.body ?? nothing,
  }),
});
