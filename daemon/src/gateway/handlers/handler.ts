// A handler: the function behind an operation. Its types are those of its row; every process that the arguments name
// is resolved and visible to the caller (call-operation.ts).

import type { FoundArgsOf, ResponseOf } from "@aos/protocol";
import type { GatewayContext, OperationCall } from "../gateway-context.ts";

type Answered<Row> = Row extends { readonly streams: true }
  ? AsyncIterable<ResponseOf<Row>>
  : ResponseOf<Row>;

/** One handler for each row of a family. */
export type HandlersOf<Rows> = {
  readonly [Name in keyof Rows]: (
    gateway: GatewayContext,
    args: FoundArgsOf<Rows[Name]>,
    call: OperationCall,
  ) => Promise<Answered<Rows[Name]>>;
};
