// Policy word: what the policy says to a person who does something on behalf of a process, whether or not
// the process still lives: letting its changes through, for one.
//
// Q1  What a rule would ask a person about is allowed: it is a person who does it.

import { DEFAULT_TENANT } from "@aos/protocol";
import { CLEAN } from "../label/label.ts";
import type { Platform } from "../platform/clock.ts";
import type { Directory } from "./directory.ts";
import type { Policies } from "./policies.ts";

interface Parts {
  readonly policies: Policies;
  readonly directory: Directory;
  readonly platform: Platform;
}

const NOTHING = { usd: 0, tokens: 0, toolCalls: 0 };

export async function policyWord(
  { policies, directory, platform }: Parts,
  pid: string,
  { kind, verb }: { readonly kind: string; readonly verb: string },
): Promise<(resource: string) => boolean> {
  const row = await directory.find(pid);
  const layers = policies.layersFor({ layers: row.spec.layers ?? [] });
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
