// Policy word: applies the policy to an action of a person on behalf of a process, living or not, such as a commit of
// its changes.
//
// POLICY-WORD-1  An `ask` rule allows: a person is acting.
// POLICY-WORD-2  Without a process, the layers that bind everyone apply: for a program that the operator configured.

import { DEFAULT_TENANT } from "@aos/protocol";
import { CLEAN } from "../label/label.ts";
import type { Platform } from "../platform/clock.ts";
import type { Directory } from "../process/process-table.ts";
import type { Policies } from "../policy/policies.ts";

interface Parts {
  readonly policies: Policies;
  readonly directory: Directory;
  readonly platform: Platform;
}

const NOTHING = { usd: 0, tokens: 0, toolCalls: 0 };

interface About {
  readonly kind: string;
  readonly verb: string;
}

export async function policyForPerson(
  parts: Parts,
  pid: string,
  about: About,
): Promise<(resource: string) => boolean> {
  const row = await parts.directory.find(pid);
  return wordOn(parts, row, row.spec.layers ?? [], about);
}

/** POLICY-WORD-2. */
export const policyForAll = (parts: Omit<Parts, "directory">, about: About) =>
  wordOn(parts, { agent: "", pid: "", depth: 0 }, [], about);

function wordOn(
  { policies, platform }: Omit<Parts, "directory">,
  row: { readonly agent: string; readonly pid: string; readonly depth: number },
  own: readonly string[],
  { kind, verb }: About,
): (resource: string) => boolean {
  const layers = policies.layersFor({ layers: own });
  return (resource) => {
    const { effect } = policies.current.decide(
      {
        call: "exec",
        args: { path: resource },
        agent: row.agent,
        tenant: DEFAULT_TENANT,
        pid: row.pid,
        depth: row.depth,
        tool: undefined,
        model: undefined,
        target: undefined,
        touches: [{ kind, resource, verb }],
        label: CLEAN,
        effect: "idempotent",
        sinks: [],
        pinned: false,
        morePower: false,
        undoable: true,
        cost: NOTHING,
        spent: NOTHING,
        atMs: platform.now(),
        isBegun: true,
      },
      layers,
    );
    return effect === "allow" || effect === "ask";
  };
}
