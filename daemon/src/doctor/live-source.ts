// Live source: the source of a range for `aos doctor --attack`: the policy in force, with the limits and people of
// the configuration.

import type { Kernel, KernelOptions } from "@aos/kernel";
import type { PolicyReport } from "@aos/protocol";

interface LayerReport {
  readonly name: string;
  readonly origin: string;
  /** `enforce` for a policy file; a security.md has one of its own. */
  readonly mode: string;
  readonly rules: readonly { readonly written: unknown }[];
  readonly labels: readonly unknown[];
  readonly signals?: readonly string[];
}

type PolicySources = NonNullable<KernelOptions["policy"]>;

type LiveSource = Pick<KernelOptions, "limits" | "approvals"> & { readonly policy: PolicySources };

const PROJECT = "project:";

export async function liveSource(
  kernel: Kernel,
  { limits, approvals }: Pick<KernelOptions, "limits" | "approvals">,
): Promise<LiveSource> {
  return {
    policy: sourcesOf(await kernel.policy()),
    ...(limits === undefined ? {} : { limits }),
    ...(approvals === undefined ? {} : { approvals }),
  };
}

/** The layers that bind everyone, as they were written. A project's binds nobody of a range. */
export function sourcesOf({ layers }: PolicyReport): PolicySources {
  return (layers as unknown as LayerReport[])
    .filter(({ name }) => !name.startsWith(PROJECT))
    .map(({ name: layer, origin, mode, rules, labels, signals }) => {
      const written = unique(rules.map((rule) => rule.written));
      return mode === "enforce"
        ? { layer, origin, format: "policy", document: { version: 1, rules: written, labels } }
        : {
            layer,
            origin,
            format: "security.md",
            document: {
              kernel: { version: "1.0", mode },
              signals: signals ?? [],
              policies: written,
            },
          };
    });
}

/** One line of a security.md may be two rules. */
function unique(written: readonly unknown[]): unknown[] {
  const texts = new Set(written.map((one) => JSON.stringify(one)));
  return Array.from(texts, (text) => JSON.parse(text) as unknown);
}
