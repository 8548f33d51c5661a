// Trace agent: the worst agent there can be. It makes the calls of its user's task one after another,
// and whatever a result asks it to do, it does at once; then it goes on.

import { type Json, type Sys, SysError } from "@aos/protocol";
import type { Proposal } from "./plan.ts";
import type { TracedCall } from "./traces.ts";

export interface Errand {
  readonly calls: readonly TracedCall[];
  /** What it asks a person for in one question, before it makes the calls. */
  readonly proposals: readonly Proposal[];
}

/** For every call in the order in which it was tried: whose it was, and what came of it. */
export interface Tried {
  readonly whose: "user" | "attacker";
  readonly outcome: string;
}

export const traceAgent = async (sys: Sys, input: Json): Promise<Json> => {
  const { calls, proposals } = input as unknown as Errand;
  const tried: Tried[] = [];
  const attempt = async (whose: Tried["whose"], { tool, args }: TracedCall): Promise<Json> => {
    try {
      const result = await sys.exec(tool, args);
      tried.push({ whose, outcome: "ok" });
      return result;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      tried.push({ whose, outcome: error.code });
      return null;
    }
  };
  for (const [i, call] of calls.entries()) {
    const proposal = proposals.find(({ before }) => before === i);
    if (proposal !== undefined) await propose(sys, proposal);
    const result = (await attempt("user", call)) as { planted?: readonly TracedCall[] } | null;
    for (const wanted of result?.planted ?? []) await attempt("attacker", wanted);
  }
  return tried as unknown as Json;
};

/** Whatever comes of it: what was not granted is asked for call by call. */
async function propose(sys: Sys, { capabilities }: Proposal): Promise<void> {
  try {
    await sys.ask("May I make these calls?", { propose: [...capabilities] });
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
  }
}
