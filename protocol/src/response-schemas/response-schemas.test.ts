import { expect, test } from "vitest";
import type { OperationAnswer } from "../operations.ts";
import { operationNames, type OperationName } from "../routes.ts";
import type { Exact } from "./exact.ts";
import { answerSchemas } from "./index.ts";

/** RESPONSE-SCHEMAS-1: this is the compiler's, and nothing of it runs. */
type Answers = { readonly [Name in OperationName]: OperationAnswer<Name> };
const exact: Record<OperationName, true> | undefined = undefined as
  | Exact<typeof answerSchemas, Answers>
  | undefined;

test("every operation has the schema of its answer, and no other has one", () => {
  expect(exact).toBeUndefined();
  expect(Object.keys(answerSchemas).sort()).toEqual([...operationNames].sort());
});

test("an answer with a field that its schema does not know is not one", () => {
  const caller = { name: "ann", role: "viewer", tenant: null };

  expect(answerSchemas.whoAmI.safeParse(caller).success).toBe(true);
  expect(answerSchemas.whoAmI.safeParse({ ...caller, secret: 1 }).success).toBe(false);
});
