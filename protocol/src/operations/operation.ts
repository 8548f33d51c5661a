// A row of the operations: route, role, arguments and response. The route of the daemon, the method of the client,
// the OpenAPI document, the types, the help of the command line and the arguments of MCP tools are generated from it.
//
//   role      the lowest role that may call: a viewer reads, an approver also answers questions, an operator
//             does everything
//   reach     `tenant`: a caller of one tenant may call it, and sees only that tenant.
//             `machine`: for callers of all tenants only
//   streams   the answer is one JSON value a line; a last line {"error": …} is a failure
//   reportsProgress  takes long: whoever accepts application/x-ndjson gets lines {"progress": …} and a last {"result": …}
//   isSecret  the answer is never stored, not even for an idempotency key
//
// OPERATIONS-1  An unknown field is refused, in path, query and body.
// OPERATIONS-2  A failure is `application/problem+json` with a code and the status of the failures table.
// OPERATIONS-3  The schema of an argument says whether it names a process or a machine path (argument-fields.ts);
//               there is no separate list.

import { z } from "zod";
import type { ProcessId } from "../ids.ts";
import type { Json } from "../json.ts";
import type { Role } from "../role.ts";
import { namesPath, namesProcess, type ProcessReference } from "./argument-fields.ts";

const nothing = z.strictObject({});
type Nothing = typeof nothing;

interface Declared<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Response extends z.ZodType,
  Streams extends boolean,
> {
  readonly method: "GET" | "POST";
  /** Below API_ROOT; `:name` is filled from the arguments. */
  readonly path: string;
  readonly summary: string;
  readonly role: Role;
  readonly reach: "tenant" | "machine";
  readonly params?: Params;
  /** What travels in the query of a GET. */
  readonly query?: Query;
  /** What travels in the JSON body of a POST. */
  readonly body?: Body;
  /** Of a stream, what one line is. */
  readonly response: Response;
  readonly streams?: Streams;
  readonly isSecret?: boolean;
  readonly reportsProgress?: boolean;
}

export interface Operation<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Response extends z.ZodType = z.ZodType,
  Streams extends boolean = boolean,
> extends Required<Declared<Params, Query, Body, Response, Streams>> {
  /** The arguments that name a process, and those that are paths of the machine (OPERATIONS-3). */
  readonly processes: readonly string[];
  readonly paths: readonly string[];
}

export function operation<
  Response extends z.ZodType,
  Params extends z.ZodObject = Nothing,
  Query extends z.ZodObject = Nothing,
  Body extends z.ZodObject = Nothing,
  Streams extends boolean = false,
>(
  declared: Declared<Params, Query, Body, Response, Streams>,
): Operation<Params, Query, Body, Response, Streams> {
  const { params, query, body } = declared;
  const args = Object.entries({ ...params?.shape, ...query?.shape, ...body?.shape });
  const naming = (names: (schema: z.ZodType) => boolean) =>
    args.filter(([, schema]) => names(schema as z.ZodType)).map(([name]) => name);
  return {
    ...declared,
    params: params ?? (nothing as Params),
    query: query ?? (nothing as Query),
    body: body ?? (nothing as Body),
    streams: declared.streams ?? (false as Streams),
    isSecret: declared.isSecret ?? false,
    reportsProgress: declared.reportsProgress ?? false,
    processes: naming(namesProcess),
    paths: naming(namesPath),
  };
}

/** How far long work is. */
export interface WorkProgress {
  readonly done: number;
  /** Of how many, where that is known. */
  readonly total?: number | undefined;
  readonly detail?: string | undefined;
}

export type OnProgress = (progress: WorkProgress) => void;

/** What a schema says, as it is handed around: nobody changes it. */
export type ReportOf<Schema extends z.ZodType> = Unchanging<z.output<Schema>>;

type Unchanging<T> = Json extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [Key in keyof T]: Unchanging<T[Key]> };

/** What a row answers. A list is the caller's own, and what is in it is not. */
export type ResponseOf<Row> = Row extends { readonly response: infer Response extends z.ZodType }
  ? z.output<Response> extends (infer Item)[]
    ? Unchanging<Item>[]
    : ReportOf<Response>
  : never;

/** What is given to a row by whoever asks. */
export type ArgsOf<Row> =
  Row extends Operation<infer Params, infer Query, infer Body>
    ? Fields<Params> & Fields<Query> & Fields<Body>
    : never;

/** The same once the processes that it names are found. */
export type FoundArgsOf<Row> =
  Row extends Operation<infer Params, infer Query, infer Body>
    ? Found<Params> & Found<Query> & Found<Body>
    : never;

type Fields<Schema extends z.ZodObject> = keyof Schema["shape"] extends never
  ? unknown
  : z.output<Schema>;

type Found<Schema extends z.ZodObject> = keyof Schema["shape"] extends never
  ? unknown
  : {
      [Key in keyof z.output<Schema>]: Key extends keyof Schema["shape"]
        ? Schema["shape"][Key] extends ProcessReference
          ? ProcessId
          : Schema["shape"][Key] extends z.ZodOptional<ProcessReference>
            ? ProcessId | undefined
            : z.output<Schema>[Key]
        : never;
    };
