// Result labels: the label of the result of a call, from everything that it touched.
//
// RESULT-LABELS-1  It is the policy's label for what was touched, else the tool's own; joined with the marks of the
//     files that were read, and with what a program that ran for it could see.
// RESULT-LABELS-2  Only files have marks: a call that touched none needs no lookup.

import type { Label, Touch } from "@aos/protocol";
import { join } from "../label/label.ts";
import type { ResourceLabels } from "../label/resource-labels.ts";
import { readPlaces } from "../label/workspace-location.ts";
import type { CallContext } from "./syscall-handler.ts";

interface Parts {
  readonly resources: Pick<ResourceLabels, "of">;
  readonly saidOf: (context: CallContext) => Label | undefined;
}

const isFile = ({ kind }: Touch): boolean => kind === "file";

export const resultLabels =
  ({ resources, saidOf }: Parts) =>
  (context: CallContext, own: Label): Label | Promise<Label> => {
    const said = (): Label => {
      const label = saidOf(context) ?? own;
      const { seen } = context.permit;
      return seen === undefined ? label : join(label, seen);
    };
    const looked = async (): Promise<Label> => {
      await context.marked;
      const marks = await resources.of(readPlaces(context.touched, context.process));
      return marks === undefined ? said() : join(said(), marks);
    };
    return context.marked === undefined && !context.touched.some(isFile) ? said() : looked(); // RESULT-LABELS-2
  };
