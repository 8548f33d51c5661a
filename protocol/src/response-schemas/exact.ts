// Exact: whether a schema says the same as an interface, for the compiler. `satisfies z.ZodType<X>` finds what
// a schema has too little of; it does not find a field of X that may be missing and that the schema does not
// know. This does.

import type { z } from "zod";
import type { Json } from "../json.ts";

/** Without `readonly`, and with every field there and beside it whether it may be missing. */
type Plain<T> = Json extends T
  ? Json
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? Plain<Item>[]
      : { -readonly [Key in keyof T]-?: [Plain<T[Key]>, MayBeMissing<T, Key>] };

type MayBeMissing<T, Key extends keyof T> = object extends Pick<T, Key> ? "maybe" : "always";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** `true`, or the name of what differs. */
export type Exact<Schemas, Answers> = {
  readonly [Name in keyof Schemas & keyof Answers]: Schemas[Name] extends z.ZodType
    ? Same<Plain<z.output<Schemas[Name]>>, Plain<Answers[Name]>> extends true
      ? true
      : `${Name & string} is not what its interface says`
    : never;
};
