// Result labels: the label of what came of a call, from all that it touched.
//
// RESULT-LABELS-1  It is the operator's word on what was touched, or else the tool's own; joined with the
//     marks of the files that were read, and with what a program that ran for it could see.
// RESULT-LABELS-2  Only files have marks: of a call that touched none, everything is known without
//     looking.

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
