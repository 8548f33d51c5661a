// The fields of a manifest that are for `kind: Workflow`.

import { z } from "zod";
import type { Json } from "../json.ts";
import { signalId, valueSchema, workflowLimits, workflowStep } from "./step.ts";

const json = z.unknown() as unknown as z.ZodType<Json>;

export const workflowFields = {
  input: z
    .strictObject({ schema: valueSchema.describe("JSON Schema of its input.") })
    .optional()
    .describe("Of a Workflow: what it has to be given."),
  steps: z
    .array(workflowStep)
    .min(1)
    .max(workflowLimits.steps)
    .optional()
    .describe("Of a Workflow: its steps."),
  result: json
    .optional()
    .describe(
      "Of a Workflow: its result, a value with `{{expression}}`. Default: the last step's.",
    ),
  signals: z
    .record(
      signalId,
      z.strictObject({
        schema: valueSchema
          .optional()
          .describe("JSON Schema of its body; what does not fit is passed over."),
      }),
    )
    .optional()
    .describe("Of a Workflow: the messages that its steps wait for, with the schema of each."),
  queries: z
    .record(signalId, json)
    .optional()
    .describe("Of a Workflow: values by name that people read while it runs."),
  repeat: z
    .strictObject({
      if: z.string().min(1).describe("Expression: whether it begins again when it has ended."),
      input: json.describe("Its next input, a value with `{{expression}}`."),
    })
    .optional()
    .describe("Of a Workflow: it goes on as a new run of the same process, with an empty history."),
};
