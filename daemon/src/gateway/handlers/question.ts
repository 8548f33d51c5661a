// Handlers of operations about questions.
//
// QUESTION-HANDLERS-1  Actions are recorded under the caller. Only the owner of the socket may bring the answer of
//     another person, and the record says so. Over the network every caller answers for itself.

import type { Kernel } from "@aos/kernel";
import { SysError, type questionOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Caller } from "../caller.ts";
import type { HandlersOf } from "./handler.ts";

export const questionHandlers: HandlersOf<typeof questionOperations> = {
  questions: ({ kernel }, filter) => kernel.questions(filter),
  async answer({ kernel }, { id, by, text, ...rest }, { caller }) {
    const word = { ...spoken(caller, by, text), ...rest };
    return kernel.answer(id, omitUndefined(word) as Parameters<Kernel["answer"]>[1]);
  },
  async cancelQuestion({ kernel }, { id, by, text }, { caller }) {
    return kernel.cancelQuestion(id, spoken(caller, by, text));
  },
};

/** QUESTION-HANDLERS-1. */
function spoken(caller: Caller, by: string | undefined, text: string | undefined) {
  if (by === undefined || by === caller.name)
    return { by: caller.name, ...omitUndefined({ text }) };
  if (caller.transport !== "socket") {
    throw new SysError("EACCES", `${caller.name} may not answer for ${by}`, {
      hint: "over HTTP every person answers with their own token",
    });
  }
  const brought = `${text === undefined ? "" : `${text} `}(recorded by ${caller.name})`;
  return { by, text: brought };
}
